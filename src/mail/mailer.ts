import { createTransport } from 'nodemailer';

/** A mail to one person. */
export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text; nothing in it is interpreted. */
  readonly text: string;
}

/** Sends mail through a mail server. */
export interface Mailer {
  /** Resolves once the server has accepted the mail; rejects if it is down or refuses it. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

interface MailerOptions {
  /** `smtp://user:password@host:port`, or `smtps://` */
  readonly url: string;
  /** The sender: `no-reply@example.com`, or `Name <address>`. */
  readonly from: string;
}

const WAIT_MS = 10_000;

/** Gives up after 10 seconds without a connection or a greeting, and after 20 seconds of silence. */
export function createMailer({ url, from }: MailerOptions): Mailer {
  const transport = createTransport(
    { url, connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: 2 * WAIT_MS },
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    send: async ({ to, subject, text }) => {
      // Passed as a single address, so that no list or name in it is interpreted.
      await transport.sendMail({ to: { name: '', address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}
