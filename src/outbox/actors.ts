import type { Actor } from '../access/actor.ts';
import type { EventActor } from './events.ts';

/** Who did something, in the words of the events: a service account's key is `api` (design decisions §16). */
export const eventActor = ({ type, id }: Actor): EventActor => ({
  type: type === 'service_account' ? 'api' : type,
  id,
});
