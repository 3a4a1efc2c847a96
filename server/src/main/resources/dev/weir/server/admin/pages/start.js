// Text of callers only ever becomes text: nothing here writes markup.
const by = id => document.getElementById(id);

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
}

const metrics = document.querySelector('meta[name="weir-http-port"]');
if (metrics) by('metrics').href = `${location.protocol}//${location.hostname}:${metrics.content}/metrics`;

fetch('/version').then(answer => answer.json()).then(version => {
  by('version').textContent = `, version ${version.version}`;
}).catch(() => {});

by('usage').addEventListener('submit', event => {
  event.preventDefault();
  location.href = `/admin/v1/usage/${encodeURIComponent(by('key').value.trim())}`;
});

by('explain').addEventListener('submit', async event => {
  event.preventDefault();
  const shown = by('explained');
  shown.hidden = false;
  shown.replaceChildren();
  const [domain, ...pairs] = by('asked').value.trim().split(/\s+(?=[^\s=]+=)/);
  const entries = pairs.map(pair => {
    const equals = pair.indexOf('=');
    return { key: pair.slice(0, equals), value: pair.slice(equals + 1) };
  });
  try {
    const answer = await fetch('/admin/v1/explain', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ domain, entries }),
    });
    const told = await answer.json();
    if (answer.ok) explain(told, shown);
    else shown.append(element('p', told.detail, { class: 'wrong' }));
  } catch (failure) {
    shown.append(element('p', `No answer: ${failure.message}`, { class: 'wrong' }));
  }
});

function explain(told, into) {
  const met = told.rules.filter(rule => rule.met).length;
  const verdict = met === 0 ? 'No rule applies: it passes.' : told.would_pass ? 'It would pass now.' : 'It would be denied now.';
  into.append(element('p', verdict, { class: 'verdict' }));
  const table = element('table');
  const head = element('tr');
  ['Rule', 'Applies', 'Used', 'Limit', 'Written in'].forEach(title => head.append(element('th', title, { scope: 'col' })));
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  told.rules.forEach(rule => {
    const row = table.tBodies[0].insertRow();
    const limit = rule.limit;
    const room = rule.has_room === false
      ? `; ${rule.passes_within === undefined ? 'never passes' : `passes within ${rule.passes_within.toFixed(1)} s`}` : '';
    [
      rule.rule + (rule.mode === 'on' ? '' : ` (${rule.mode})`),
      rule.met ? `yes${rule.counter ? `, for ${rule.counter}` : ''}` : `no: ${rule.why}`,
      rule.used === undefined ? '' : String(rule.used) + room,
      limit ? `${limit.requests} per ${limit.window}${limit.from === 'rule' ? '' : ` (${limit.from})`}` : '',
      rule.source,
    ].forEach(text => { row.insertCell().textContent = text; });
  });
  into.append(table);
}
