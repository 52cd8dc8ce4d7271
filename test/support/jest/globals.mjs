// What `@jest/globals` stands for. Each file of tests has functions of its own, in the global scope while it
// runs, and the helpers that tests share are loaded once for many files: so these look when they are called.
const now = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _self, args) => globalThis[name](...args),
    get: (_target, property) => globalThis[name][property],
  });

export const afterAll = now('afterAll');
export const afterEach = now('afterEach');
export const beforeAll = now('beforeAll');
export const beforeEach = now('beforeEach');
export const describe = now('describe');
export const expect = now('expect');
export const it = now('it');
