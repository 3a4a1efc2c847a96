// Writes a rule as people write it in a file. The server reads YAML; this only writes it.
const PLAIN = /^[A-Za-z_/*][A-Za-z0-9_./*-]*$/;
const WORDS = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);
const WINDOW = /^\d+[a-z]+$/;
const WIDE = 90;

// Members that only answers have; the server ignores them in a body.
const ANSWERS = new Set(['rule_id', 'status', 'switched', 'label', 'applies_to', 'summary', 'source', 'hides', 'version', 'updated_at', 'updated_by', 'id']);

function scalar(value) {
  if (typeof value !== 'string') return JSON.stringify(value);
  const plain = (PLAIN.test(value) && !WORDS.has(value.toLowerCase())) || WINDOW.test(value);
  return plain ? value : JSON.stringify(value);
}

const isNested = value => value !== null && typeof value === 'object';

function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isNested(value)) return scalar(value);
  const inner = Object.entries(value).map(([name, each]) => `${scalar(name)}: ${flow(each)}`).join(', ');
  return inner ? `{ ${inner} }` : '{}';
}

function block(value, indent) {
  if (Array.isArray(value)) {
    return value.map(each => `${indent}- ${flow(each)}`);
  }
  return Object.entries(value).flatMap(([name, each]) => {
    const line = `${indent}${scalar(name)}: ${flow(each)}`;
    if (!isNested(each) || line.length <= WIDE) return [line];
    return [`${indent}${scalar(name)}:`, ...block(each, `${indent}  `)];
  });
}

/** A rule of the API, without the members that only answers have. */
export function ruleText(rule) {
  const written = Object.fromEntries(Object.entries(rule ?? {}).filter(([name, value]) => !ANSWERS.has(name) && value !== null));
  return block(written, '').map(line => `${line}\n`).join('');
}

export const text = value => (isNested(value) ? block(value, '').join('\n') : scalar(value ?? null));
