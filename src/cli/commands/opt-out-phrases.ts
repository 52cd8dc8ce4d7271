import type { Command } from 'commander';
import {
  addPhrase,
  listPhrases,
  type Phrase,
  removePhrase,
} from '../../contacts/opt-outs/phrases.ts';
import { transact } from '../../db/transact.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Add extends WorkspaceOptions {
  readonly backIn?: boolean;
}

const EFFECTS = { out: 'opts out', in: 'opts back in', none: 'says nothing' } as const;

const sentence = ({ phrase, effect, own }: Phrase): string =>
  `${phrase}: ${EFFECTS[effect]}${own ? ' (of this workspace)' : ''}`;

/** Manages the whole messages by which people opt out and in, in addition to the common ones. */
export function optOutPhraseCommands(workspace: Command): void {
  const phrases = workspace
    .command('opt-out-phrases')
    .description('whole messages by which people ask for no more messages, or for messages again');
  aboutWorkspace(phrases, 'add', 'hear a phrase; case, accents and punctuation say nothing')
    .argument('<phrase>', 'the whole message')
    .option('--back-in', 'people come back by it, instead of leaving')
    .action((phrase: string, options: Add) =>
      perform(
        options,
        (ctx) => addPhrase(ctx, phrase, options.backIn ? 'in' : 'out'),
        (added) => [sentence(added)],
      ),
    );
  aboutWorkspace(phrases, 'remove', 'hear a phrase no more, also one of the common ones')
    .argument('<phrase>', 'the whole message')
    .action((phrase: string, options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => removePhrase(ctx, phrase),
        (removed) => [sentence(removed)],
      ),
    );
  aboutWorkspace(phrases, 'list', 'list the phrases, those of the workspace marked').action(
    (options: WorkspaceOptions) =>
      perform(
        options,
        async (ctx) => ({ phrases: await transact(ctx, listPhrases) }),
        ({ phrases: all }) => all.map(sentence),
      ),
  );
}
