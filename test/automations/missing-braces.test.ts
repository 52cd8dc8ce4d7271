import { describe, expect, it } from '@jest/globals';
import { problems, withSteps } from './support/definitions.ts';

describe('a variable with braces too few', () => {
  it.each([
    ['send_message', { text: 'Oi {{first_name}!' }, 'text'],
    ['send_message', { text: 'Disse: {step.q.answer}}' }, 'text'],
    ['set_field', { field: 'notes', value: '{{email}' }, 'value'],
    ['send_message', { text: 'Disse: {{step.q.answer, certo?' }, 'text'],
    ['send_message', { text: 'Disse: message.text}}' }, 'text'],
  ])('is refused in %s: %j', (type, more, path) => {
    expect(problems(withSteps({ id: 'x', type, ...more }))).toEqual([
      `steps[0].${path} variable_form`,
    ]);
  });

  it.each(['{"query":"{ user { name }}"}', '{"a":{"n":{{custom.n}}}}'])(
    'is not looked for in a body that is no text for people: %s',
    (body) => {
      const call = { id: 'x', type: 'http_request', url: 'https://erp.loja.com.br', body };

      expect(problems(withSteps(call))).toEqual([]);
    },
  );
});
