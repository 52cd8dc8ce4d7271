/** Whom it is to, in WhatsApp's digits. */
export const PERSON = '5511987654321';

/** As the Cloud API tells of a message from the Business app. */
export const anEcho = (phoneNumberId: string, fields: Record<string, unknown>): object => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field: 'smb_message_echoes',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '5511300000000', phone_number_id: phoneNumberId },
            message_echoes: [
              {
                from: '5511300000000',
                to: PERSON,
                timestamp: String(Math.floor(Date.now() / 1000)),
                type: 'text',
                text: { body: 'Já separei o seu pedido' },
                ...fields,
              },
            ],
          },
        },
      ],
    },
  ],
});
