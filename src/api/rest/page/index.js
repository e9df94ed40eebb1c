// The list of models.

function card(model) {
  const prefix = `/api/v1/${encodeURIComponent(model.name)}`;
  return el(
    'li',
    null,
    el('h2', null, el('a', { href: `${prefix}/docs` }, model.title ?? model.name)),
    el('p', { class: 'quiet' }, `${model.name}${model.version ? ` ${model.version}` : ''}`),
    model.description ? el('p', null, model.description) : '',
    el(
      'p',
      null,
      el('a', { href: `${prefix}/openapi.json` }, 'openapi.json'),
      ' · ',
      el('a', { href: `${prefix}/model.yaml` }, 'model.yaml'),
    ),
  );
}

async function load() {
  const list = document.getElementById('models');
  try {
    const response = await fetch('/api/v1');
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const { models } = await response.json();
    list.replaceChildren(
      ...(models.length
        ? models.map(card)
        : [el('li', { class: 'quiet' }, 'None. Start the server with --model FILE.')]),
    );
  } catch (error) {
    list.replaceChildren(el('li', null, `The models cannot be listed: ${error.message}`));
  }
}

load();
