import { z } from 'zod';

/** A number, and all that its messages pass on their way: the number itself, its business account, the token's app. */
export const profileAnswer = z.looseObject({
  display_phone_number: z.string().regex(/\d/),
  health_status: z
    .looseObject({ entities: z.array(z.looseObject({ entity_type: z.string(), id: z.string() })) })
    .catch({ entities: [] }),
});

/** A number's rating; `NA` and what may be new count as none. */
export const qualityAnswer = z.looseObject({
  quality_rating: z.enum(['GREEN', 'YELLOW', 'RED', 'UNKNOWN']).catch('UNKNOWN'),
});

/** The apps that get a business account's webhooks. */
export const subscriptionsAnswer = z.looseObject({
  data: z.array(
    z.looseObject({ whatsapp_business_api_data: z.looseObject({ id: z.string() }).optional() }),
  ),
});

/** The answer to subscribing one more. */
export const subscribeAnswer = z.looseObject({ success: z.literal(true) });

/**
 * Field `account_update`: what happened to a business account, and so to all its numbers. What a partner of it is told,
 * such as `PARTNER_REMOVED`, comes under the partner's own id, and names the account in `waba_info`.
 */
export const accountUpdate = z.looseObject({
  event: z.string(),
  waba_info: z.looseObject({ waba_id: z.string().optional() }).optional(),
  ban_info: z.looseObject({ waba_ban_state: z.string().optional() }).optional(),
  restriction_info: z
    .array(
      z.looseObject({
        restriction_type: z.string().optional(),
        /** Unix seconds; partners pass it on as a date. */
        expiration: z.union([z.int(), z.string()]).optional().catch(undefined),
      }),
    )
    .optional(),
});
