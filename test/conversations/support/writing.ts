import { openWritingScene } from '../../inbound/support/writing.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';

/** People write to a number of a workspace in which somebody is of a team. */
export const writingScene = () =>
  opened(async () => {
    const place = await openWritingScene();
    const { id, teamIds } = await aMember(place.ctx, { teams: ['Suporte'] });
    const member = { id, teamId: teamIds[0] ?? '' };
    return { ...place, member, close: () => place.stage.close() };
  });
