import { z } from 'zod';

/** A number, and all that its messages pass on their way: the number itself, its business account, the token's app. */
export const profileAnswer = z.looseObject({
  display_phone_number: z.string().regex(/\d/),
  health_status: z
    .looseObject({ entities: z.array(z.looseObject({ entity_type: z.string(), id: z.string() })) })
    .catch({ entities: [] }),
});

/** The apps that get a business account's webhooks. */
export const subscriptionsAnswer = z.looseObject({
  data: z.array(
    z.looseObject({ whatsapp_business_api_data: z.looseObject({ id: z.string() }).optional() }),
  ),
});

/** The answer to subscribing one more. */
export const subscribeAnswer = z.looseObject({ success: z.literal(true) });
