import { TEMPORAL_OPERATOR } from '../src/access/actor.ts';
import {
  cancelImportByOperator,
  type ImportRef,
  importSome,
} from '../src/contacts/imports/steps.ts';
import type { ImportProgress } from '../src/contacts/rules.ts';
import { aliveFor } from './alive.ts';
import type { Deps } from './deps.ts';

const IMPORT_FOR_MS = 10_000;

/** The activities of an import. A batch is one transaction, so a repetition continues after the last one. */
export const contactActivities = ({ contextFor }: Pick<Deps, 'contextFor'>) => ({
  importContactRows: (ref: ImportRef): Promise<ImportProgress> =>
    aliveFor(IMPORT_FOR_MS, (mayGoOn) => importSome(contextFor, ref, mayGoOn)),

  cancelContactImport: ({ organizationId, importId }: ImportRef): Promise<void> =>
    cancelImportByOperator(contextFor(organizationId, TEMPORAL_OPERATOR), importId),
});
