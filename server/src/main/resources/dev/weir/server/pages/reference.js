// Renders /openapi.json. Its contents become text, never markup.
import { by, element } from './dom.js';
import { ask } from './sign-in.js';
import './theme.js';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
let spec = {};

function resolved(thing) {
  if (!thing || !thing.$ref) return thing || {};
  return resolved(thing.$ref.split('/').slice(1).reduce((at, part) => (at || {})[part.replace(/~1/g, '/').replace(/~0/g, '~')], spec));
}

/** Renders text between backticks as code. */
function prose(text = '') {
  const parts = String(text).split('`');
  const out = document.createDocumentFragment();
  parts.forEach((part, index) => out.append(index % 2 ? element('code', {}, part) : part));
  return out;
}

function typeOf(schema) {
  const found = resolved(schema);
  if (found.enum) return found.enum.map(String).join(' | ');
  const any = found.oneOf || found.anyOf;
  if (any) return [...new Set(any.map(typeOf))].join(' or ');
  const type = Array.isArray(found.type) ? found.type.join(' or ') : found.type || (found.properties ? 'object' : 'any');
  if (type === 'array') return `list of ${typeOf(found.items)}`;
  return found.format ? `${type} (${found.format})` : type;
}

function exampleOf(schema, depth = 0) {
  const found = resolved(schema);
  if (found.example !== undefined) return found.example;
  if (found.examples && found.examples.length) return found.examples[0];
  if (found.default !== undefined) return found.default;
  if (found.const !== undefined) return found.const;
  if (found.enum) return found.enum[0];
  const any = found.oneOf || found.anyOf;
  if (any) return exampleOf(any[0], depth);
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  if (depth > 5) return null;
  if (found.properties) {
    return Object.fromEntries(Object.entries(found.properties).map(([name, value]) => [name, exampleOf(value, depth + 1)]));
  }
  if (type === 'array') return [exampleOf(found.items, depth + 1)];
  return { integer: 1, number: 1, boolean: true, object: {}, null: null }[type] ?? '…';
}

function contentExample(media) {
  if (media.example !== undefined) return media.example;
  const named = Object.values(media.examples || {})[0];
  if (named) return resolved(named).value;
  return media.schema ? exampleOf(media.schema) : undefined;
}

const pretty = value => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function copyable(text, label) {
  const button = element('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  return element('div', { class: 'with-copy' }, element('pre', { tabindex: '0', 'aria-label': label }, text), button);
}

function table(titles, rows) {
  const head = element('tr', {}, ...titles.map(title => element('th', { scope: 'col' }, title)));
  return element('table', {}, element('thead', {}, head),
    element('tbody', {}, ...rows.map(cells => element('tr', {}, ...cells.map(cell => element('td', {}, cell))))));
}

function curl(call) {
  const query = call.parameters.filter(each => each.in === 'query' && each.required)
    .map(each => `${each.name}=${encodeURIComponent(String(each.example ?? '…'))}`).join('&');
  const address = `${location.origin}${call.path}${query ? `?${query}` : ''}`;
  const lines = [`curl${call.method === 'get' ? '' : ` -X ${call.method.toUpperCase()}`} '${address}'`];
  const body = call.body && contentExample(Object.values(call.body.content || {})[0] || {});
  if (body !== undefined && body !== null) lines.push(`  -d '${JSON.stringify(body).replace(/'/g, "'\\''")}'`);
  return lines.join(' \\\n');
}

function bodyOf(body) {
  const out = document.createDocumentFragment();
  Object.entries(body.content || {}).forEach(([type, media]) => {
    const schema = resolved(media.schema);
    out.append(element('h3', {}, `Body, ${type}`));
    const names = Object.entries(schema.properties || {});
    if (names.length) {
      const required = schema.required || [];
      out.append(table(['Member', 'Type', 'Meaning'], names.map(([name, value]) => [
        element('code', {}, name), typeOf(value) + (required.includes(name) ? ', required' : ''), prose(resolved(value).description),
      ])));
    }
    const example = contentExample(media);
    if (example !== undefined) out.append(copyable(pretty(example), 'Example of the body'));
  });
  return out;
}

function responsesOf(responses) {
  const rows = Object.entries(responses).map(([status, response]) => {
    const found = resolved(response);
    const cell = element('div', {}, prose(found.description));
    Object.values(found.content || {}).forEach(media => {
      // Only examples that the document gives: all problems look alike, and a generated example would say nothing.
      const example = contentExample({ ...media, schema: undefined });
      if (example !== undefined) cell.append(copyable(pretty(example), `Example of the answer ${status}`));
    });
    return [element('span', { class: 'status' }, status), cell];
  });
  return table(['Status', 'Answer'], rows);
}

function article(call) {
  const { operation } = call;
  const role = operation['x-role'];
  const out = element('article', { id: call.id, 'aria-labelledby': `${call.id}-title` },
    element('h2', { id: `${call.id}-title` },
      element('span', { class: `method ${call.method}` }, call.method.toUpperCase()),
      element('code', {}, call.path),
      role ? element('span', { class: 'role' }, role) : null),
    element('p', {}, prose(operation.summary)));
  if (operation.description) out.append(element('p', { class: 'quiet' }, prose(operation.description)));
  if (call.parameters.length) {
    out.append(element('h3', {}, 'Parameters'), table(['Name', 'In', 'Type', 'Meaning'], call.parameters.map(each => [
      element('code', {}, each.name), each.in, typeOf(each.schema) + (each.required ? ', required' : ''), prose(each.description),
    ])));
  }
  if (call.body) out.append(bodyOf(call.body));
  out.append(element('h3', {}, 'Answers'), responsesOf(operation.responses || {}), element('h3', {}, 'Try it'), copyable(curl(call), 'Command'));
  return out;
}

/** Lets a long path break before a segment. */
function breakable(path) {
  return path.split(/(?=\/)/).flatMap(part => [element('wbr'), part]);
}

function callsOf(document) {
  return Object.entries(document.paths || {}).flatMap(([path, item]) =>
    METHODS.filter(method => item[method]).map(method => {
      const operation = item[method];
      const parameters = [...(item.parameters || []), ...(operation.parameters || [])].map(resolved);
      const body = operation.requestBody ? resolved(operation.requestBody) : null;
      const tag = (operation.tags || ['Other'])[0];
      const words = [method, path, tag, operation.summary, operation.description, ...parameters.map(each => each.name)].join(' ').toLowerCase();
      return { id: `${method}${path.replace(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '')}`, path, method, operation, parameters, body, tag, words };
    }));
}

function group(calls, document) {
  const order = (document.tags || []).map(tag => tag.name);
  const tags = [...new Set([...order, ...calls.map(call => call.tag)])];
  return tags.map(tag => [tag, calls.filter(call => call.tag === tag)]).filter(([, some]) => some.length);
}

function show(document) {
  spec = document;
  by('title').textContent = document.info.title;
  by('about').replaceChildren(prose(document.info.description));
  const calls = callsOf(document);
  group(calls, document).forEach(([tag, some]) => {
    const list = element('ul', {}, ...some.map(call => {
      call.link = element('a', { href: `#${call.id}`, title: call.operation.summary || '' },
        element('span', { class: `method ${call.method}` }, call.method.toUpperCase()), element('span', {}, ...breakable(call.path)));
      call.item = element('li', {}, call.link);
      return call.item;
    }));
    by('index').append(element('section', {}, element('h2', {}, tag), list));
    some.forEach(call => {
      call.article = article(call);
      by('operations').append(call.article);
    });
  });
  search(calls);
  current(calls);
  window.addEventListener('hashchange', () => current(calls));
  if (location.hash) by(location.hash.slice(1))?.scrollIntoView();
}

function current(calls) {
  calls.forEach(call => {
    if (`#${call.id}` === location.hash) call.link.setAttribute('aria-current', 'true');
    else call.link.removeAttribute('aria-current');
  });
}

function search(calls) {
  const field = by('search');
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    calls.forEach(call => {
      const found = words.every(word => call.words.includes(word));
      call.item.hidden = !found;
      call.article.hidden = !found;
    });
    document.querySelectorAll('#index section').forEach(section => {
      section.hidden = !section.querySelector('li:not([hidden])');
    });
    by('none').hidden = calls.some(call => !call.item.hidden);
  };
  field.addEventListener('input', filter);
  document.addEventListener('keydown', event => {
    const typing = event.target === field;
    const links = calls.filter(call => !call.item.hidden).map(call => call.link);
    const at = links.indexOf(document.activeElement);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === 'Escape' && (typing || at >= 0)) {
      field.value = '';
      filter();
      field.focus();
    } else if (event.key === 'Enter' && typing && links.length) {
      links[0].click();
      links[0].focus();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && (typing || at >= 0) && links.length) {
      event.preventDefault();
      const next = event.key === 'ArrowDown' ? at + 1 : at - 1;
      (next < 0 ? field : links[Math.min(next, links.length - 1)]).focus();
    }
  });
}

ask('/openapi.json')
  .then(answer => (answer.ok ? answer.json() : Promise.reject(new Error(`status ${answer.status}`))))
  .then(show)
  .catch(failure => { by('about').textContent = `Cannot load the document: ${failure.message}`; });
