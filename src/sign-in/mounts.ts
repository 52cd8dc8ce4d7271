import type { Mount } from '../http/mount.ts';
import { accountMounts } from './account.ts';
import { connectedMount } from './connected.ts';
import { emailMounts } from './email.ts';
import { invitationMounts } from './invitation.ts';
import type { SignInParts } from './parts.ts';
import { passkeyMounts } from './passkeys.ts';
import { resetMounts } from './reset.ts';
import { signInMounts } from './sign-in.ts';

/** Everything a person needs to sign in, and their account page. */
export const comingInMounts = (parts: SignInParts): Mount[] => [
  ...signInMounts(parts),
  ...accountMounts(parts),
  ...emailMounts(parts),
  connectedMount(parts),
  ...passkeyMounts(parts),
  ...resetMounts(parts),
  ...invitationMounts(parts),
];
