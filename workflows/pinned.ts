import type { WorkflowDefinitionOptions } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';

/**
 * For workflows that end within a day or two: they finish on the release they began on. Only if workers are
 * versioned, because the server accepts this from no others.
 */
export const pinned = (): WorkflowDefinitionOptions =>
  workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
