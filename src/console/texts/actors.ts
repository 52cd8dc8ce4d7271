import type { Language } from '../../pages/language.ts';

/** The parts of the service that act by themselves, by what `system` calls them; what is missing is called so. */
const SYSTEM_PT: Readonly<Record<string, string>> = {
  'assignment queue': 'fila de atribuição',
  automations: 'automações',
  campaigns: 'campanhas',
  'contact import': 'importação de contatos',
  'expiry warnings': 'avisos de vencimento',
  form: 'formulário',
  gateway: 'envio ao WhatsApp',
  'health sweep': 'verificação dos números',
  'idle closing': 'encerramento por inatividade',
  invitation: 'convite',
  reminders: 'lembretes',
  'sign-in': 'entrada',
  'Temporal operator': 'operador do Temporal',
  'wms command line': 'linha de comando wms',
};

/** Who did something, as the record names them; the service itself in the reader's language. */
export const actorName = (
  lang: Language,
  { type, name }: { readonly type: string; readonly name: string },
): string => (lang === 'pt-BR' && type === 'system' && SYSTEM_PT[name]) || name;
