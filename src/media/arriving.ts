import type { Context } from '../context.ts';
import type { MediaKind } from '../gateway/port.ts';
import { newId } from '../ids.ts';

/** A file from a person, as WhatsApp describes it. */
export interface ArrivingFile {
  readonly kind: MediaKind;
  /** WhatsApp's id. */
  readonly providerId: string;
  readonly name: string;
  readonly type: string;
  readonly numberId: string;
  readonly conversationId: string;
}

/**
 * Records a person's file and schedules its download, in the caller's transaction: WhatsApp keeps it for a week
 * only.
 *
 * @returns its id, `med_…`
 */
export async function expectMedia(tx: Context, file: ArrivingFile): Promise<string> {
  const id = newId('med');
  await tx.sql.rows(
    `with known as (
       insert into media (organization_id, id, name, type, kind, size, sha256, state, number_id, provider_id,
         conversation_id, created_at)
       values ($1, $2, $3, $4, $5, 0, '', 'coming', $6, $7, $8, $9) returning id)
     insert into media_fetches (organization_id, media_id) select $1, id from known`,
    [
      tx.organizationId,
      id,
      file.name,
      file.type,
      file.kind,
      file.numberId,
      file.providerId,
      file.conversationId,
      tx.now,
    ],
  );
  return id;
}
