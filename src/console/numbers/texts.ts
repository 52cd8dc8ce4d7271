import type { NUMBER_STATUSES } from '../../numbers/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly nav: string;
  readonly none: string;
  readonly whoConnects: string;
  readonly columns: readonly [string, string, string, string];
  readonly statuses: Readonly<Record<(typeof NUMBER_STATUSES)[number], string>>;
  readonly rename: string;
  readonly name: string;
  readonly save: string;
  readonly named: string;
}

export const NUMBERS: Dictionary<Texts> = {
  en: {
    nav: 'Numbers',
    none: 'No number yet.',
    whoConnects:
      'Whoever operates this service connects one for you, with the commands wms number add and wms number connect. It then stands here.',
    columns: ['Name', 'Phone', 'Status', 'Since'],
    statuses: {
      provisioning: 'being set up',
      awaiting_pairing: 'waits for its phone',
      connected: 'connected',
      degraded: 'connected, with errors',
      disconnected: 'not connected',
      suspended: 'suspended by WhatsApp',
      error: 'error',
    },
    rename: 'Rename',
    name: 'Name',
    save: 'Save',
    named: 'The number has its new name.',
  },
  'pt-BR': {
    nav: 'Números',
    none: 'Nenhum número ainda.',
    whoConnects:
      'Quem opera este serviço conecta um para você, com os comandos wms number add e wms number connect. Ele aparece aqui em seguida.',
    columns: ['Nome', 'Telefone', 'Situação', 'Desde'],
    statuses: {
      provisioning: 'em preparação',
      awaiting_pairing: 'espera o telefone',
      connected: 'conectado',
      degraded: 'conectado, com erros',
      disconnected: 'sem conexão',
      suspended: 'suspenso pelo WhatsApp',
      error: 'erro',
    },
    rename: 'Mudar o nome',
    name: 'Nome',
    save: 'Salvar',
    named: 'O número tem o novo nome.',
  },
};
