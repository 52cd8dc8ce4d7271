import { createTransport } from 'nodemailer';

/** A mail to one person. */
export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text: nothing in it is interpreted. */
  readonly text: string;
}

/** The door to the mail server. */
export interface Mailer {
  /** Resolves when the server has taken the mail; rejects when it is away or refuses it. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

interface MailerOptions {
  /** `smtp://user:password@host:port`, or `smtps://` */
  readonly url: string;
  /** The sender: `no-reply@example.com`, or with a name in front of `<…>`. */
  readonly from: string;
}

const WAIT_MS = 10_000;

/** Gives up after 10 seconds without a connection or a greeting, and 20 of silence. */
export function createMailer({ url, from }: MailerOptions): Mailer {
  const transport = createTransport(
    { url, connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: 2 * WAIT_MS },
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    send: async ({ to, subject, text }) => {
      // An address is one address, whatever stands in it: no list, no name.
      await transport.sendMail({ to: { name: '', address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}
