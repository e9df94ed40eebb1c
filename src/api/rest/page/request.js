// The form that sends a request, and what came back.

function bodySchema(operation) {
  const content = operation.requestBody?.content;
  if (!content) return undefined;
  const type = Object.keys(content)[0];
  return { type, schema: content[type].schema };
}

function quote(text) {
  return `'${String(text).replaceAll("'", "'\\''")}'`;
}

function tryForm(path, method, operation) {
  const parameters = (operation.parameters ?? []).map(resolve);
  const inputs = new Map();
  const fields = parameters
    .filter((each) => each.name !== 'Tenant')
    .map((parameter) => {
      const schema = resolve(parameter.schema);
      const examples = Object.values(parameter.examples ?? {}).map((each) => each.value);
      const known = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
      let input;
      if (known) {
        input = el(
          'select',
          null,
          el('option', { value: '' }, ''),
          known.map((value) => el('option', { value }, value)),
        );
      } else {
        input = el('input', {
          autocomplete: 'off',
          spellcheck: 'false',
          placeholder: parameter.name === 'filters' ? 'Total=gte.1000&Status=DRAFT' : undefined,
        });
      }
      if (examples.length && parameter.in === 'path') input.value = String(examples[0]);
      inputs.set(parameter, input);
      return el(
        'label',
        null,
        parameter.name,
        el('span', { class: 'quiet' }, ` ${parameter.in}${parameter.required ? ', required' : ''}`),
        input,
      );
    });
  const body = bodySchema(operation);
  const bodyInput = body && el('textarea', { spellcheck: 'false' });
  if (body) {
    const made = sample(body.schema);
    bodyInput.value = json(method === 'patch' ? {} : made);
  }

  function request() {
    const headers = {};
    const query = [];
    let target = path;
    for (const [parameter, input] of inputs) {
      const value = input.value;
      if (parameter.in === 'path') {
        target = target.replace(`{${parameter.name}}`, encodeURIComponent(value));
      } else if (value === '') {
        continue;
      } else if (parameter.in === 'header') {
        headers[parameter.name] = value;
      } else if (parameter.name === 'filters') {
        for (const each of value.split('&')) {
          const [name, ...rest] = each.split('=');
          if (name) query.push(`${encodeURIComponent(name)}=${encodeURIComponent(rest.join('='))}`);
        }
      } else {
        query.push(`${encodeURIComponent(parameter.name)}=${encodeURIComponent(value)}`);
      }
    }
    if (memory.tenant) headers.Tenant = memory.tenant;
    if (memory.token) headers.Authorization = `Bearer ${memory.token}`;
    if (body && bodyInput.value) headers['Content-Type'] = body.type;
    const base = new URL(api.servers?.[0]?.url ?? '.', location.href).href.replace(/\/$/, '');
    return {
      url: base + target + (query.length ? `?${query.join('&')}` : ''),
      method: method.toUpperCase(),
      headers,
      body: body && bodyInput.value ? bodyInput.value : undefined,
    };
  }

  function curl() {
    const made = request();
    const lines = [`curl -i -X ${made.method} ${quote(made.url)}`];
    for (const [name, value] of Object.entries(made.headers))
      lines.push(`  -H ${quote(`${name}: ${value}`)}`);
    if (made.body) lines.push(`  --data ${quote(made.body)}`);
    return lines.join(' \\\n');
  }

  const command = el('code');
  const answer = el('div', { 'aria-live': 'polite' });
  const refresh = () => {
    command.textContent = curl();
  };
  const form = el(
    'form',
    { class: 'try', oninput: refresh, onchange: refresh },
    fields.length > 0 && el('div', { class: 'fields' }, fields),
    body && el('label', null, 'Body', bodyInput),
    el(
      'div',
      { class: 'row' },
      el('button', { type: 'submit' }, 'Send'),
      copyButton(curl),
      el('span', { class: 'quiet' }, 'as a command for the shell'),
    ),
    el('pre', null, command),
    answer,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const made = request();
    answer.replaceChildren(el('p', { class: 'quiet' }, 'Sending …'));
    const start = performance.now();
    try {
      const response = await fetch(made.url, made);
      const text = await response.text();
      const time = Math.round(performance.now() - start);
      answer.replaceChildren(
        el(
          'div',
          { class: 'row' },
          el(
            'span',
            { class: `status ${response.ok || response.status === 304 ? 'good' : 'bad'}` },
            `${response.status} ${response.statusText}`,
          ),
          el('span', { class: 'quiet' }, `${time} ms`),
        ),
        el(
          'pre',
          null,
          el(
            'code',
            null,
            [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
          ),
        ),
        text && el('pre', null, el('code', null, pretty(text))),
      );
    } catch (error) {
      answer.replaceChildren(el('p', { class: 'problem' }, `No answer: ${error.message}`));
    }
  });
  refresh();
  return form;
}
