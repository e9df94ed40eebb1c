// How things are put into the page.

// Everything that is shown is put in as text, never as markup: a design is data that somebody else
// wrote, and so are the items that a request brings.
function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

// `code` within text.
function inline(text) {
  return String(text)
    .split('`')
    .map((part, i) => (i % 2 ? el('code', null, part) : part));
}

// Paragraphs, and lines that begin with a dash as a list.
function prose(text) {
  if (!text) return [];
  const blocks = [];
  for (const line of String(text).split('\n')) {
    if (!line) continue;
    if (!line.startsWith('- ')) blocks.push(el('p', null, inline(line)));
    else {
      if (blocks.at(-1)?.tagName !== 'UL') blocks.push(el('ul'));
      blocks.at(-1).append(el('li', null, inline(line.slice(2))));
    }
  }
  return blocks;
}

function json(value) {
  return JSON.stringify(value, null, 2);
}

function copyButton(text) {
  const button = el('button', { type: 'button', class: 'plain' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}

// JSON on several lines without reading its numbers, which may have more digits than JavaScript.
function pretty(text) {
  let out = '';
  let depth = 0;
  const line = () => {
    out += `\n${'  '.repeat(depth)}`;
  };
  for (let at = 0; at < text.length; ++at) {
    const c = text[at];
    if (c === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      out += text.slice(at, end + 1);
      at = end;
    } else if (c === '{' || c === '[') {
      const close = /^\s*[}\]]/.exec(text.slice(at + 1, at + 40));
      out += c;
      if (close) {
        out += close[0].trim();
        at += close[0].length;
      } else {
        ++depth;
        line();
      }
    } else if (c === '}' || c === ']') {
      depth = Math.max(0, depth - 1);
      line();
      out += c;
    } else if (c === ',') {
      out += c;
      line();
    } else if (c === ':') out += ': ';
    else if (!/\s/.test(c)) out += c;
  }
  return out;
}
