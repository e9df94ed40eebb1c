// The page: sections of entities, patterns and problems.

function statesOf(schema) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const states = resolve(each)['x-stm-transitions'];
    if (!states) return [];
    return [
      el('h3', null, `States of ${name}`),
      table(
        ['From', 'To'],
        Object.entries(states).map(([from, to]) =>
          el(
            'tr',
            null,
            el('th', { scope: 'row' }, el('code', null, from)),
            el(
              'td',
              null,
              to.length ? to.map((value, i) => [i ? ' ' : '', el('code', null, value)]) : 'final',
            ),
          ),
        ),
      ),
    ];
  });
}

function entityCard(name, schema) {
  const keys = Object.entries(schema['x-stm-keys'] ?? {});
  return el(
    'details',
    { class: 'card' },
    el(
      'summary',
      null,
      el('strong', null, `${name}: attributes, keys and rules`),
      el('span', { class: 'quiet' }, `${Object.keys(schema.properties ?? {}).length} attributes`),
    ),
    el(
      'div',
      { class: 'inside' },
      attributeTable(schema),
      keys.length > 0 && [
        el('h3', null, 'Keys'),
        table(
          ['Of', ''],
          keys.map(([index, parts]) =>
            el(
              'tr',
              null,
              el('th', { scope: 'row' }, index),
              el(
                'td',
                null,
                Object.entries(parts).map(([part, text]) =>
                  el('div', null, el('code', null, part), ' = ', el('code', null, text)),
                ),
              ),
            ),
          ),
        ),
      ],
      (schema['x-stm-rules'] ?? []).length > 0 && [
        el('h3', null, 'Rules'),
        el(
          'ul',
          null,
          schema['x-stm-rules'].map((rule) =>
            el(
              'li',
              null,
              el('code', null, rule.assert),
              rule.when && ` (${rule.when})`,
              rule.message && `: ${rule.message}`,
            ),
          ),
        ),
      ],
      (schema['x-stm-unique'] ?? []).length > 0 && [
        el('h3', null, 'Unique'),
        el(
          'ul',
          null,
          schema['x-stm-unique'].map((each) =>
            el('li', null, el('code', null, each.fields.join(' '))),
          ),
        ),
      ],
      statesOf(schema),
    ),
  );
}

function problemSection() {
  const seen = new Map();
  for (const item of Object.values(api.paths ?? {})) {
    for (const operation of Object.values(item)) {
      for (const [status, each] of Object.entries(operation.responses ?? {})) {
        if (each.$ref) seen.set(status, resolve(each).description);
      }
    }
  }
  const rows = [...seen]
    .sort()
    .map(([status, text]) =>
      el('tr', null, el('th', { scope: 'row' }, status), el('td', null, inline(text ?? ''))),
    );
  return el(
    'section',
    { id: 'problems', 'aria-labelledby': 'problems-title' },
    el('h2', { id: 'problems-title' }, 'Problems'),
    el(
      'p',
      null,
      'What goes wrong is answered as ',
      el('code', null, 'application/problem+json'),
      ' with a ',
      el('code', null, 'code'),
      ' for programs and a sentence that says what to do.',
    ),
    table(['Status', 'Codes'], rows),
    attributeTable(api.components?.schemas?.Api_Problem),
  );
}

function settings() {
  const field = (name, label, type) =>
    el(
      'label',
      null,
      label,
      el('input', {
        type,
        autocomplete: 'off',
        value: memory[name],
        oninput: (event) => {
          memory[name] = event.target.value;
          document
            .querySelectorAll('form.try')
            .forEach((form) => form.dispatchEvent(new Event('input')));
        },
      }),
    );
  return el(
    'section',
    { class: 'card settings', 'aria-label': 'Who asks' },
    el(
      'div',
      { class: 'fields' },
      field('token', 'Bearer token, for servers that ask for one', 'password'),
      field('tenant', 'Tenant, for operators', 'text'),
    ),
  );
}

function operationsByTag() {
  const tags = new Map((api.tags ?? []).map((tag) => [tag.name, { ...tag, operations: [] }]));
  for (const [path, item] of Object.entries(api.paths ?? {})) {
    for (const [method, operation] of Object.entries(item)) {
      const name = operation.tags?.[0] ?? 'Other';
      if (!tags.has(name)) tags.set(name, { name, operations: [] });
      tags.get(name).operations.push({ path, method, operation });
    }
  }
  return [...tags.values()].filter(
    (tag) => tag.operations.length || api.components?.schemas?.[tag.name],
  );
}

function show() {
  document.title = `${api.info.title} API`;
  const main = document.getElementById('content');
  const contents = document.getElementById('contents');
  const sections = operationsByTag().map((tag, i) => {
    const id = `tag-${i}`;
    const schema = api.components?.schemas?.[tag.name];
    contents.append(
      el(
        'li',
        null,
        el(
          'a',
          { href: `#${id}` },
          el('span', null, tag.name),
          el('span', { class: 'count' }, tag.operations.length),
        ),
      ),
    );
    return el(
      'section',
      { id, 'aria-labelledby': `${id}-title` },
      el('h2', { id: `${id}-title` }, tag.name),
      prose(tag.description),
      schema?.['x-stm-keys'] && entityCard(tag.name, schema),
      tag.operations.map(operationCard),
    );
  });
  contents.append(el('li', null, el('a', { href: '#problems' }, 'Problems')));
  main.replaceChildren(
    ...[
      el('h1', null, api.info.title),
      el(
        'p',
        { class: 'quiet' },
        `Version ${api.info.version} · `,
        el('a', { href: './openapi.json' }, 'openapi.json'),
        ' · ',
        el('a', { href: './model.yaml' }, 'model.yaml'),
        ' · ',
        el('a', { href: '/docs' }, 'all models'),
      ),
      el('div', { class: 'lead' }, prose(api.info.description)),
      settings(),
      ...sections,
      problemSection(),
    ],
  );
  const wanted =
    location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wanted) {
    if (wanted.tagName === 'DETAILS') wanted.open = true;
    wanted.scrollIntoView();
  }
}

document.getElementById('search').addEventListener('input', (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const card of document.querySelectorAll('details[data-words]')) {
    card.hidden = !words.every((word) => card.dataset.words.includes(word));
  }
});

async function load() {
  const headers = memory.token ? { Authorization: `Bearer ${memory.token}` } : {};
  const response = await fetch('./openapi.json', { headers });
  if (response.status === 401 || response.status === 403) return askForToken();
  if (!response.ok) throw new Error(`openapi.json answered ${response.status}`);
  api = await response.json();
  show();
}

function askForToken() {
  const input = el('input', { type: 'password', autocomplete: 'off', required: true });
  const form = el(
    'form',
    { class: 'card settings' },
    el('label', null, 'This server asks who you are. Give a bearer token.', input),
    el('div', { class: 'row' }, el('button', { type: 'submit' }, 'Go on')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    memory.token = input.value;
    load().catch(fail);
  });
  document.getElementById('content').replaceChildren(form);
  input.focus();
}

function fail(error) {
  document
    .getElementById('content')
    .replaceChildren(el('p', { class: 'problem' }, `The API cannot be shown: ${error.message}`));
}

load().catch(fail);
