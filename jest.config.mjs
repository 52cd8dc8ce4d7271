const project = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  roots: ['<rootDir>/test'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

export default {
  projects: [
    {
      ...project,
      displayName: 'behaviour',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/chaos/'],
    },
    {
      ...project,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/chaos/**/*.test.ts'],
      runner: '<rootDir>/test/support/one-worker-runner.mjs',
    },
  ],
  reporters: ['default', '<rootDir>/test/support/closing-line.mjs'],
  testTimeout: 90_000,
};
