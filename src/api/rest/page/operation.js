// One operation: what it takes, what it answers, what it asks DynamoDB.

function pathText(path) {
  return el(
    'span',
    { class: 'path' },
    path.split(/(\{[^}]*\})/).map((part) => (part.startsWith('{') ? el('b', null, part) : part)),
  );
}

function parameterTable(operation) {
  const parameters = (operation.parameters ?? []).map(resolve);
  if (!parameters.length) return [];
  return [
    el('h3', null, 'Parameters'),
    table(
      ['Name', 'In', 'Type', ''],
      parameters.map((each) =>
        el(
          'tr',
          null,
          el(
            'th',
            { scope: 'row' },
            el('code', null, each.name),
            ' ',
            each.required && el('span', { class: 'needed' }, 'required'),
          ),
          el('td', null, each.in),
          typeCell(each.schema),
          el(
            'td',
            null,
            inline(each.description ?? ''),
            each.examples && [' Example ', el('code', null, Object.values(each.examples)[0].value)],
          ),
        ),
      ),
    ),
  ];
}

function bodySection(operation) {
  const body = bodySchema(operation);
  if (!body) return [];
  return [
    el('h3', null, `Body, ${body.type}`),
    body.schema.$ref && el('p', null, el('code', null, nameOf(body.schema.$ref))),
    attributeTable(body.schema),
    el('pre', null, el('code', null, json(sample(body.schema)))),
  ];
}

function answerSection(operation) {
  const rows = Object.entries(operation.responses ?? {}).map(([status, each]) => {
    const answer = resolve(each);
    const schema = Object.values(answer.content ?? {})[0]?.schema;
    return el(
      'tr',
      null,
      el('th', { scope: 'row' }, status),
      el(
        'td',
        null,
        inline(answer.description ?? ''),
        answer.headers &&
          el('div', { class: 'quiet' }, 'Headers: ', Object.keys(answer.headers).join(', ')),
      ),
      el(
        'td',
        null,
        schema && !status.startsWith('4') && !status.startsWith('5') ? typeText(schema) : '',
      ),
    );
  });
  return [el('h3', null, 'Answers'), table(['Status', '', 'Body'], rows)];
}

// What a pattern asks DynamoDB, and what it takes.
function patternSection(each, when) {
  if (!each['x-stm-request']) return [];
  const cost = each['x-stm-cost'] ?? {};
  const pattern = each['x-stm-pattern'] ?? {};
  return [
    el(
      'h3',
      null,
      `DynamoDB request of ${pattern.name}${when?.length ? `, with ${when.join(' and ')}` : ''}`,
    ),
    el(
      'p',
      null,
      'Reads ',
      el('code', null, each['x-stm-index']),
      ': ',
      cost.requests,
      ', ',
      cost.verdict,
      pattern.requirements?.length ? `. For ${pattern.requirements.join(', ')}.` : '.',
    ),
    el('pre', null, el('code', null, json(each['x-stm-request']))),
    (each['x-stm-examples'] ?? []).map((example) =>
      el(
        'p',
        null,
        'Example: given ',
        el('code', null, JSON.stringify(example.given)),
        ' it finds ',
        el('code', null, JSON.stringify(example.returns)),
        example.units !== undefined && ` for ${example.units} units`,
        '.',
      ),
    ),
  ];
}

function stepSection(operation) {
  const steps = operation['x-stm-steps'];
  if (!steps?.length) return [];
  return [
    el('h3', null, 'What it writes, together or not at all'),
    el('pre', null, el('code', null, steps.map((step) => JSON.stringify(step)).join('\n'))),
  ];
}

function operationCard({ path, method, operation }) {
  const pattern = operation['x-stm-pattern'];
  const card = el(
    'details',
    { class: 'card', id: `op-${operation.operationId}` },
    el(
      'summary',
      null,
      el('span', { class: `method ${method}` }, method.toUpperCase()),
      pathText(path),
      el('span', { class: 'quiet' }, operation.summary ?? ''),
      pattern?.id && el('span', { class: 'badge' }, pattern.id),
      operation['x-stm-cost'] && el('span', { class: 'badge' }, operation['x-stm-cost'].requests),
    ),
  );
  card.dataset.words = [
    path,
    method,
    operation.operationId,
    operation.summary,
    operation.description,
    pattern?.id,
    ...(pattern?.requirements ?? []),
    ...(operation['x-stm-requirements'] ?? []),
  ]
    .join(' ')
    .toLowerCase();
  // Made when it is opened: a design has a hundred of them.
  card.addEventListener('toggle', () => {
    if (!card.open || card.querySelector('.inside')) return;
    card.append(
      el(
        'div',
        { class: 'inside' },
        prose(operation.description),
        parameterTable(operation),
        bodySection(operation),
        answerSection(operation),
        patternSection(operation),
        (operation['x-stm-alternatives'] ?? []).map((each) => patternSection(each, each.when)),
        stepSection(operation),
        el('h3', null, 'Try it'),
        tryForm(path, method, operation),
      ),
    );
  });
  return card;
}
