import { by, element } from '/pages/dom.js';
import { ask } from '/pages/sign-in.js';

const metrics = document.querySelector('meta[name="weir-http-port"]');
if (metrics) by('metrics').href = `${location.protocol}//${location.hostname}:${metrics.content}/metrics`;

ask('/version').then(answer => (answer.ok ? answer.json() : Promise.reject(answer))).then(version => {
  by('version').textContent = `, version ${version.version}`;
}).catch(() => {});

// The page shows what a link leads to: a link cannot send the token, and an answer is JSON.
document.querySelectorAll('.links a:not([data-elsewhere])').forEach(link => link.addEventListener('click', event => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(link.getAttribute('href'));
}));

by('usage').addEventListener('submit', event => {
  event.preventDefault();
  show(`/admin/v1/usage/${encodeURIComponent(by('key').value.trim())}`);
});

const minute = time => (time ? time.slice(0, 16).replace('T', ' ') : '');
const yes = flag => (flag ? 'yes' : 'no');
/** The columns of each list that an answer may have: title, and the text of an entry. */
const COLUMNS = {
  nodes: [['Server', it => it.node + (it.self ? ' (this one)' : '')], ['Version', it => it.version], ['Serving', it => yes(it.serving && !it.silent)],
    ['Rules', it => `${it.rules} (${it.rules_hash})`],
    ['Problems', it => [...it.problems, ...(it.silent ? [`silent for ${Math.round(it.seen_ms_ago / 1000)} s`] : [])].join('; ')]],
  rules: [['Rule', it => it.rule_id], ['Domain', it => it.domain], ['Status', it => it.status + (it.switched ? `, switched: ${it.switched}` : '')],
    ['Limit', it => it.summary?.limit], ['Algorithm', it => it.summary?.algorithm], ['Match', it => it.summary?.match],
    ['Key', it => it.summary?.key], ['Source', it => it.source]],
  switches: [['Rule', it => it.rule], ['Domain', it => it.domain], ['State', it => (it.rollout ? `${it.state}, ${it.rollout} %` : it.state)],
    ['Since', it => minute(it.updated_at)], ['By', it => it.updated_by], ['Reason', it => it.reason]],
  quotas: [['API key', it => it.api_key], ['Tier', it => it.tier], ['Overrides', it => String(it.quotas.overrides.length)],
    ['In force', it => yes(it.in_force)], ['Expires', it => minute(it.expires_at)]],
  tokens: [['Name', it => it.name], ['Role', it => it.role], ['Created', it => minute(it.created_at)],
    ['Expires', it => (it.expired ? 'expired' : minute(it.expires_at) || 'never')], ['Last used', it => minute(it.last_used_at) || 'never']],
  changes: [['At', it => minute(it.at)], ['Who', it => it.who], ['Kind', it => it.kind], ['Object', it => it.subject],
    ['Change', it => it.change], ['Reason', it => it.reason]],
};

async function show(path) {
  const into = by('shown-answer');
  by('shown').hidden = false;
  by('shown-path').textContent = path;
  into.replaceChildren(element('p', { class: 'quiet' }, 'Loading…'));
  try {
    const answer = await ask(path);
    const text = await answer.text();
    const told = text.startsWith('{') ? JSON.parse(text) : null;
    into.replaceChildren(answer.ok || !told ? shown(path, text, told) : element('p', { class: 'wrong' }, told.detail));
  } catch (failure) {
    into.replaceChildren(element('p', { class: 'wrong' }, `No answer: ${failure.message}`));
  }
  by('shown').scrollIntoView({ block: 'nearest' });
}

function shown(path, text, told) {
  const name = told === null ? undefined : Object.keys(COLUMNS).find(each => Array.isArray(told[each]));
  if (name === undefined) return element('pre', { tabindex: '0' }, told === null ? text : JSON.stringify(told, null, 2));
  if (told[name].length === 0) return element('p', { class: 'quiet' }, 'There are none.');
  const table = listed(COLUMNS[name], told[name]);
  if (!told.next) return table;
  const more = element('button', { type: 'button' }, 'More');
  more.addEventListener('click', () => show(`${path.replace(/\?.*/, '')}?after=${encodeURIComponent(told.next)}`));
  return element('div', {}, table, more);
}

function tableOf(titles) {
  const head = element('tr', {}, ...titles.map(title => element('th', { scope: 'col' }, title)));
  return element('table', {}, element('thead', {}, head), element('tbody'));
}

function listed(columns, entries) {
  const table = tableOf(columns.map(([title]) => title));
  entries.forEach(entry => {
    const row = table.tBodies[0].insertRow();
    columns.forEach(([, text]) => { row.insertCell().textContent = text(entry) ?? ''; });
  });
  return table;
}

by('explain').addEventListener('submit', async event => {
  event.preventDefault();
  const shown = by('explained');
  shown.hidden = false;
  shown.replaceChildren();
  try {
    const answer = await ask('/admin/v1/explain', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ line: by('asked').value }),
    });
    const told = await answer.json();
    if (answer.ok) explain(told, shown);
    else shown.append(element('p', { class: 'wrong' }, told.detail));
  } catch (failure) {
    shown.append(element('p', { class: 'wrong' }, `No answer: ${failure.message}`));
  }
});

function explain(told, into) {
  const met = told.rules.filter(rule => rule.met).length;
  const verdict = met === 0 ? 'No rule applies: it passes.' : told.would_pass ? 'It would pass now.' : 'It would be denied now.';
  into.append(element('p', { class: met > 0 && !told.would_pass ? 'verdict wrong' : 'verdict' }, verdict));
  const denied = told.denied_on || [];
  if (denied.length) into.append(element('p', { class: 'verdict wrong' }, `Denied on: ${denied.join(', ')}`));
  if (told.note) into.append(element('p', { class: 'quiet' }, `Note: ${told.note}`));
  const elsewhere = (told.elsewhere || []).map(rule => ({ ...rule, elsewhere: true }));
  const named = new Set(elsewhere.map(rule => rule.rule));
  into.append(counters(told.rules.filter(rule => rule.met || !named.has(rule.rule)).concat(elsewhere)));
}

function limitText(limit) {
  const holdsMore = !limit.algorithm.includes('window') && limit.burst !== limit.requests;
  return `${limit.requests} per ${limit.window}${holdsMore ? `, burst ${limit.burst}` : ''}${limit.from === 'rule' ? '' : ` (${limit.from})`}`;
}

function counters(rules) {
  const table = tableOf(['Rule', 'Applies', 'Used', 'Limit', 'Written in']);
  rules.forEach(rule => {
    const row = table.tBodies[0].insertRow();
    const limit = rule.limit;
    const room = rule.has_room === false
      ? `; ${rule.retry_after === undefined ? 'never passes' : `passes in ${Math.ceil(rule.retry_after)} s`}` : '';
    if (rule.has_room === false) row.className = 'denied';
    [
      rule.rule + (rule.mode === 'on' ? '' : ` (${rule.mode})`),
      rule.met ? `${rule.elsewhere ? `if ${rule.why}` : 'yes'}${rule.counter ? `, for ${rule.counter}` : ''}` : `no: ${rule.why}`,
      rule.used === undefined ? '' : String(rule.used) + room,
      limit ? limitText(limit) : '',
      rule.source,
    ].forEach(text => { row.insertCell().textContent = text; });
  });
  return table;
}
