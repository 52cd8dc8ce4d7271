import TestRunner from 'jest-runner';

/**
 * Runs its project's files one after the other, after or before every other project and never beside
 * one: kill tests start whole services and measure how fast they come back.
 */
export default class OneWorkerRunner extends TestRunner {
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: 1 }, context);
  }
}
