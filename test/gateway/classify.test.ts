import { describe, expect, it } from '@jest/globals';
import {
  classify,
  classifyFailure,
  haltOf,
  reasonOf,
} from '../../src/gateway/cloud-api/classify.ts';

const graph = (code: number, status: number, retryAfter: string | null = null, more = {}) =>
  classify({
    status,
    retryAfter,
    body: JSON.stringify({ error: { code, message: 'words that may change', ...more } }),
  });

const plain = (status: number, body = '<html>') => classify({ status, body, retryAfter: null });

describe('an answer of the Cloud API', () => {
  it('accepts when it holds a message id', () => {
    const body = JSON.stringify({ messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] });

    expect(classify({ status: 200, body, retryAfter: null })).toEqual({
      kind: 'accepted',
      providerId: 'wamid.1',
    });
  });

  it.each([
    ['accepted', 'accepted'],
    ['held_for_quality_assessment', 'held'],
    ['paused', 'held'],
    ['a word that is new', 'held'],
    [null, 'accepted'],
  ])('that says of a template %j is %s', (status, kind) => {
    const body = JSON.stringify({ messages: [{ id: 'wamid.1', message_status: status }] });

    expect(classify({ status: 200, body, retryAfter: null })).toEqual({
      kind,
      providerId: 'wamid.1',
    });
  });

  it.each([
    [131026, 400, 'no_whatsapp'],
    [131050, 400, 'no_recipient'],
    [130403, 400, 'no_recipient'],
    [130497, 403, 'no_recipient'],
    [131041, 400, 'no_recipient'],
    [131020, 400, 'no_recipient'],
    [131021, 400, 'no_recipient'],
    [131062, 400, 'no_recipient'],
    [131207, 403, 'no_recipient'],
    [131049, 400, 'throttled'],
    [130472, 400, 'throttled'],
    [131047, 400, 'out_of_window'],
    [131052, 400, 'media_invalid'],
    [131053, 400, 'media_invalid'],
    [131063, 400, 'template_invalid'],
    [132000, 400, 'template_invalid'],
    [132015, 400, 'template_invalid'],
    [134011, 400, 'template_invalid'],
    [100, 400, 'policy'],
    [131051, 400, 'policy'],
    [139999, 400, 'policy'],
  ])('%d refuses for good: %s', (code, status, reason) => {
    expect(graph(code, status)).toMatchObject({ kind: 'refused', reason, providerCode: code });
    expect(reasonOf(code)).toBe(reason);
  });

  it.each([
    [130429, 429, 'number', 'throttled'],
    [4, 429, 'number', 'throttled'],
    [80007, 429, 'number', 'throttled'],
    [131057, 500, 'number', 'number_unavailable'],
    [2494100, 400, 'number', 'number_unavailable'],
    [131056, 429, 'recipient', 'throttled'],
    [131000, 500, 'recipient', 'provider_error'],
    [1, 500, 'recipient', 'provider_error'],
    [2, 503, 'recipient', 'provider_error'],
    [139998, 429, 'number', 'throttled'],
    [139998, 500, 'recipient', 'provider_error'],
  ])('%d with status %d refuses for now: the %s waits', (code, status, scope, reason) => {
    const result = graph(code, status);

    expect(result).toMatchObject({ kind: 'throttled', scope, reason, providerCode: code });
  });

  it.each([
    [131048, 429, 'spam_limit', 'throttled'],
    [131064, 400, 'spam_limit', 'throttled'],
    [0, 401, 'disconnected', 'number_unavailable'],
    [3, 500, 'disconnected', 'number_unavailable'],
    [190, 401, 'disconnected', 'number_unavailable'],
    [200, 403, 'disconnected', 'number_unavailable'],
    [299, 403, 'disconnected', 'number_unavailable'],
    [131031, 403, 'suspended', 'number_unavailable'],
    [131042, 400, 'suspended', 'number_unavailable'],
    [368, 403, 'suspended', 'number_unavailable'],
    [33, 400, 'error', 'number_unavailable'],
    [131037, 400, 'error', 'number_unavailable'],
    [131045, 400, 'error', 'number_unavailable'],
    [133010, 400, 'error', 'number_unavailable'],
  ])('%d halts: %s', (code, status, cause, reason) => {
    expect(graph(code, status)).toMatchObject({ kind: 'halted', cause, providerCode: code });
    expect(reasonOf(code)).toBe(reason);
    expect(haltOf(code)).toBe(cause);
  });

  it('that refuses the token halts, whatever its code', () => {
    expect(graph(139999, 401)).toMatchObject({ kind: 'halted', cause: 'disconnected' });
    expect(graph(132000, 401)).toMatchObject({ kind: 'halted', cause: 'disconnected' });
  });

  it('that does not know the number halts; one that dislikes a parameter refuses its message', () => {
    const unknown = graph(100, 400, null, { error_subcode: 33 });
    const disliked = graph(100, 400, null, { error_subcode: 2494010 });

    expect(unknown).toMatchObject({ kind: 'halted', cause: 'error', providerCode: 100 });
    expect(disliked).toMatchObject({ kind: 'refused', reason: 'policy' });
  });

  it('that dislikes a parameter of a message with a file dislikes the file', () => {
    const of = (code: number, more = {}) =>
      classify(
        { status: 400, body: JSON.stringify({ error: { code, ...more } }), retryAfter: null },
        true,
      );

    expect(of(100)).toMatchObject({ kind: 'refused', reason: 'media_invalid', providerCode: 100 });
    expect(of(100, { error_subcode: 33 })).toMatchObject({ kind: 'halted', cause: 'error' });
    expect(of(131051)).toMatchObject({ kind: 'refused', reason: 'policy' });
  });

  it('is waited for as long as it asks, an hour at most', () => {
    expect(graph(130429, 429, '17')).toMatchObject({ retryAfterMs: 17_000 });
    expect(graph(130429, 429, '999999')).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(graph(130429, 429, 'soon')).toMatchObject({ retryAfterMs: 1_000 });
  });

  it.each([
    [200, 'not JSON'],
    [200, '{}'],
    [200, '{"messages":[]}'],
    [500, '<html>'],
    [502, ''],
    [503, 'upstream'],
    [504, '{"error":"timeout"}'],
    [408, ''],
  ])('with status %d and the body %j may have been accepted', (status, body) => {
    expect(plain(status, body)).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    [429, 'number'],
    [404, 'recipient'],
    [301, 'recipient'],
  ])('with status %d and no error code was surely not accepted', (status, scope) => {
    expect(plain(status)).toMatchObject({ kind: 'throttled', scope });
  });
});

describe('no answer', () => {
  it.each([
    ['ECONNREFUSED'],
    ['ENOTFOUND'],
    ['EAI_AGAIN'],
    ['EHOSTUNREACH'],
    ['UND_ERR_CONNECT_TIMEOUT'],
    ['NOT_STARTED'],
  ])('of the kind %s proves that nothing was sent', (code) => {
    const error = Object.assign(new Error('no'), { code });

    expect(classifyFailure(error)).toMatchObject({ kind: 'throttled', scope: 'number' });
  });

  it.each([
    ['ECONNRESET'],
    ['UND_ERR_SOCKET'],
    ['UND_ERR_HEADERS_TIMEOUT'],
    ['UND_ERR_ABORTED'],
    ['EPIPE'],
    ['anything else'],
  ])('of the kind %s may hide an accepted message', (code) => {
    const error = Object.assign(new Error('no'), { code });

    expect(classifyFailure(error)).toMatchObject({ kind: 'unknown' });
  });
});
