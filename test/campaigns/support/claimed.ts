/** A recipient in the hands of a batch, at the first try. */
export const claimed = {
  recipientId: 'rcp_1',
  messageId: 'msg_1',
  contactId: 'con_1',
  name: 'Ana',
  phone: '+5511982000001',
  text: 'Oi!',
  attempts: 1,
  written: false,
  token: '7',
};
