import { availableParallelism } from 'node:os';

const project = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testRunner: '<rootDir>/test/support/jest/native.mjs',
  roots: ['<rootDir>/test'],
  // One for all projects: runners of different kinds would take turns.
  runner: '<rootDir>/test/support/jest/lanes.mjs',
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
    },
  ],
  reporters: ['default', '<rootDir>/test/support/jest/closing-line.mjs'],
  // Most files wait for timers and servers half of their time: four share even a machine of two cores.
  maxWorkers: Math.max(4, availableParallelism() - 1),
  // For what never ends: in a slow hour what is played in skipped time takes three times as long.
  testTimeout: 240_000,
  // A worker with hundreds of megabytes and Temporal's threads takes longer than the usual half second to end.
  workerGracefulExitTimeout: 15_000,
};
