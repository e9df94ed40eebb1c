// Schemas of the document in words and tables.

let api;
const memory = { token: '', tenant: '' };

function resolve(thing) {
  for (let hops = 0; thing && thing.$ref && hops < 8; ++hops) {
    let target = api;
    for (const part of thing.$ref.slice(2).split('/')) target = target?.[part];
    const { $ref, ...beside } = thing;
    thing = { ...target, ...beside };
  }
  return thing ?? {};
}

function nameOf(reference) {
  return reference.split('/').at(-1);
}

// A schema in a few words: integer 1 to 999, SaleStatus, array of Address.
function typeText(schema) {
  if (!schema) return 'any';
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ');
  if (schema.allOf) return schema.allOf.map(typeText).join(' with ');
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any');
  const words = [];
  if (type === 'array')
    words.push(`${schema.uniqueItems ? 'set' : 'list'} of ${typeText(schema.items)}`);
  else if (type === 'object' && typeof schema.additionalProperties === 'object')
    words.push(`map of ${typeText(schema.additionalProperties)}`);
  else words.push(schema.format && type === 'string' ? schema.format : type);
  if (schema.contentEncoding) words.push(`(${schema.contentEncoding})`);
  const bounds = (least, most, what) => {
    if (least === undefined && most === undefined) return;
    const range =
      least === undefined
        ? `up to ${most}`
        : most === undefined
          ? `from ${least}`
          : `${least} to ${most}`;
    words.push(`, ${range}${what}`);
  };
  bounds(schema.minimum, schema.maximum, '');
  bounds(schema.minLength, schema.maxLength, ' characters');
  bounds(schema.minItems, schema.maxItems, ' members');
  return words.join(' ').replaceAll(' ,', ',');
}

function typeCell(schema) {
  const parts = [typeText(schema)];
  const whole = resolve(schema);
  const values =
    whole.enum ?? (whole.type === 'string' && schema?.$ref ? whole.examples : undefined);
  if (values) {
    parts.push(
      el(
        'div',
        { class: 'quiet' },
        values.map((value, i) => [i ? ' ' : '', el('code', null, value)]),
      ),
    );
  }
  if (schema?.pattern)
    parts.push(el('div', { class: 'quiet' }, 'matches ', el('code', null, schema.pattern)));
  return el('td', null, parts);
}

function table(head, rows) {
  return el(
    'div',
    { class: 'scroll' },
    el(
      'table',
      null,
      el(
        'thead',
        null,
        el(
          'tr',
          null,
          head.map((text) => el('th', { scope: 'col' }, text)),
        ),
      ),
      el('tbody', null, rows),
    ),
  );
}

function attributeTable(schema) {
  const whole = resolve(schema);
  const required = new Set(whole.required ?? []);
  const rows = Object.entries(whole.properties ?? {}).map(([name, each]) =>
    el(
      'tr',
      null,
      el('th', { scope: 'row' }, el('code', null, name)),
      typeCell(each),
      el(
        'td',
        null,
        required.has(name) && el('span', { class: 'needed' }, 'required'),
        each.readOnly && el('span', { class: 'set' }, 'read only'),
      ),
      el(
        'td',
        null,
        inline(each.description ?? ''),
        each['x-stm-default'] !== undefined && [
          ' Default ',
          el('code', null, JSON.stringify(each['x-stm-default'])),
          '.',
        ],
      ),
    ),
  );
  return table(['Attribute', 'Type', '', ''], rows);
}

// A value that fits a schema, for people to change.
function sample(schema, depth = 0) {
  const whole = resolve(schema);
  if (whole['x-stm-default'] !== undefined) return whole['x-stm-default'];
  if (whole.examples?.length) return whole.examples[0];
  if (whole.enum) return whole.enum[0];
  if (whole.anyOf) return sample(whole.anyOf[0], depth);
  if (whole.allOf) return Object.assign({}, ...whole.allOf.map((each) => sample(each, depth)));
  const type = Array.isArray(whole.type) ? whole.type[0] : whole.type;
  switch (type) {
    case 'object': {
      const made = {};
      const properties = Object.entries(whole.properties ?? {});
      const required = new Set(whole.required ?? []);
      for (const [name, each] of properties) {
        if (required.has(name) || (depth === 0 && required.size === 0 && !name.startsWith('$')))
          made[name] = sample(each, depth + 1);
      }
      return made;
    }
    case 'array':
      return depth > 4 || !whole.items ? [] : [sample(whole.items, depth + 1)];
    case 'integer':
    case 'number':
      return whole.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return (
        {
          'date-time': '2026-01-30T14:30:00Z',
          date: '2026-01-30',
          email: 'name@example.com',
          uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
          uri: 'https://example.com/',
        }[whole.format] ?? ''
      );
    default:
      return null;
  }
}
