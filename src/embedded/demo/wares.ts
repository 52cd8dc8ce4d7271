import type { createAutomation } from '../../automations/service.ts';
import type { createForm } from '../../forms/service.ts';
import type { createReminder } from '../../reminders/service.ts';

type Automation = Parameters<typeof createAutomation>[1];
type Form = Parameters<typeof createForm>[1];
type Reminder = Parameters<typeof createReminder>[1];

export const STAGES = [
  { name: 'Novo', kind: 'open' },
  { name: 'Orçamento', kind: 'open' },
  { name: 'Confirmado', kind: 'open' },
  { name: 'Entregue', kind: 'won' },
  { name: 'Desistiu', kind: 'lost' },
] as const;

export const ORDERS = [
  'Bolo de casamento',
  'Coffee break para 30',
  'Cesta de café da manhã',
  'Panetones para a equipe',
] as const;

export const WELCOME: Automation = {
  name: 'Boas-vindas',
  description: 'Cumprimenta quem escreve pela primeira vez.',
  trigger: { type: 'first_message', number_ids: [] },
  entry: {
    conditions: null,
    reentry: 'never',
    reentry_days: null,
    skip_if_handled_by_member: true,
    priority: 0,
  },
  steps: [
    {
      id: 's1',
      type: 'send_message',
      text: 'Olá {{first_name|tudo bem}}! Já vamos te responder.',
      next: 's2',
    },
    { id: 's2', type: 'add_tag', tag: 'Novo', next: 's3' },
    { id: 's3', type: 'end' },
  ],
};

const field = (
  type: Form['fields'][number]['type'],
  label: string,
  save_to: string,
  more: { required?: boolean; options?: string[] } = {},
) => ({ type, label, save_to, required: false, options: [], ...more });

export const ORDER_FORM: Form = {
  title: 'Encomende seu bolo',
  description: 'Conte o que você imagina e respondemos pelo WhatsApp.',
  fields: [
    field('text', 'Nome completo', 'name', { required: true }),
    field('phone', 'WhatsApp', 'phone', { required: true }),
    field('date', 'Para que dia?', 'custom.data_da_festa'),
    field('select', 'Sabor', 'custom.sabor', {
      required: true,
      options: ['Nozes', 'Brigadeiro', 'Frutas vermelhas'],
    }),
    field('consent', 'Quero receber novidades da padaria', ''),
  ],
  thanks: null,
  tag: 'Encomendas',
  automation: null,
  personal_link: false,
};

export const SEGMENTS: readonly (readonly [string, unknown])[] = [
  ['Clientes VIP', { field: 'tag', op: 'has_any', value: ['VIP'] }],
  ['Aniversariantes do mês', { field: 'birth_date', op: 'day_month_in_next', value: 'P30D' }],
  ['Sem novidades há 30 dias', { not: { field: 'last_inbound_at', op: 'in_last', value: 'P30D' } }],
];

const NOTHING = {
  contact_id: null,
  group_id: null,
  segment_id: null,
  phone: null,
  date: null,
  weekday: null,
  month_day: null,
  ends_on: null,
  transactional: false,
};

export const reminders = (numberId: string, contactId: string): readonly Reminder[] => [
  {
    ...NOTHING,
    title: 'Feliz aniversário',
    text: 'Feliz aniversário, {{first_name}}! Hoje tem um doce por nossa conta.',
    target: 'birthday',
    number_id: numberId,
    repeat: 'yearly',
    time: '09:00',
  },
  {
    ...NOTHING,
    title: 'Encomenda da semana',
    text: 'Bom dia! A encomenda de toda semana está confirmada?',
    target: 'contact',
    contact_id: contactId,
    number_id: numberId,
    repeat: 'weekly',
    weekday: 4,
    time: '08:30',
  },
];
