import type { FieldRule } from '../../http/error-guide/field-rules.ts';

interface Broken {
  readonly path?: string;
  readonly rule: string;
  readonly limit?: number | undefined;
  readonly allowed?: readonly (string | number)[] | undefined;
  /** Which of several in the field. */
  readonly which?: readonly (string | number)[] | undefined;
}

const EMPTY = 'Preencha este campo.';
const UNKNOWN = 'Isto não existe neste espaço de trabalho.';

type Sentence = (broken: Broken) => string;

const counted =
  (before: string, after: string): Sentence =>
  ({ limit }) =>
    limit === undefined ? 'Não cabe aqui.' : `${before} ${limit.toLocaleString('pt-BR')}${after}`;

/** One of a few words; if there are many, the form lists them. */
const oneOf: Sentence = ({ path = '', allowed = [] }) =>
  path.includes('.') && allowed.length > 0
    ? `Use um destes: ${allowed.map((one) => (one === '' ? '""' : one)).join(', ')}.`
    : 'Escolha uma das opções.';

const quoted = ({ which = [] }: Broken): string => which.map((one) => `"${one}"`).join(', ');

type Names = readonly (string | number)[];

/** As English has them, but for what stands for a name. */
const inPortuguese = (name: string | number): string =>
  `${name}`.replace('<key>', '<chave>').replace('<id>', '<passo>').replace('<output>', '<saída>');

const known = ({ allowed = [] }: Broken): string => allowed.map(inPortuguese).join(', ');

const variables = (names: Names = []): string =>
  names.map((name) => `{{${inPortuguese(name)}}}`).join(', ');

const PHONE = 'Escreva o telefone com + e o código do país, como +55 11 98765-4321.';

/** The format of a value, by the last name in its path. */
const FORMATS: Readonly<Record<string, string>> = {
  phone: PHONE,
  email: 'Escreva um endereço de e-mail.',
  date: 'Escreva uma data, como 2026-12-24.',
  ends_on: 'Escreva uma data, como 2026-12-24.',
  birth_date: 'Escreva uma data, como 1990-12-24.',
  time: 'Escreva uma hora, como 09:00.',
  time_zone: 'Escreva um fuso horário IANA, como America/Sao_Paulo.',
  language: 'Escreva um idioma, como pt-BR.',
  currency: 'Escreva as três letras da moeda, como BRL.',
  when: 'Escreva data e hora.',
  custom:
    'Escreva cada campo como cidade: Recife. O nome tem de 1 a 40 letras minúsculas sem acento, dígitos e _.',
};

const nameIn = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** By rule: the service's, and the console's own. One of the console missing here would be shown in English. */
const RULES: Readonly<Record<FieldRule, Sentence> & Record<string, Sentence>> = {
  required: () => EMPTY,
  length: counted('Use de 1 a', ' caracteres.'),
  min_length: (broken) =>
    broken.limit === 1 ? EMPTY : counted('Use pelo menos', ' caracteres.')(broken),
  max_length: counted('Use no máximo', ' caracteres.'),
  min_items: () => 'Escolha pelo menos um.',
  max_items: (broken) =>
    broken.limit === 0 ? 'Não cabe aqui.' : counted('Escolha no máximo', '.')(broken),
  items: counted('Escolha de 1 a', '.'),
  min: counted('Use um número a partir de', '.'),
  max: counted('Use um número até', '.'),
  multiple_of: counted('Use um múltiplo de', '.'),
  min_rows: () => 'O arquivo não tem nenhum contato abaixo da primeira linha.',
  max_columns: counted('Use no máximo', ' colunas.'),
  max_rows: counted('Use no máximo', ' linhas.'),
  min_size: () => 'O arquivo está vazio.',
  enum: oneOf,
  unknown: ({ path = '', ...more }) =>
    path.includes('.') && more.allowed ? oneOf({ path, ...more }) : UNKNOWN,
  unique: () => 'Nomeie cada um uma vez só.',
  type: () => 'O valor não é do tipo que se espera aqui.',
  format: ({ path = '' }) =>
    FORMATS[path.startsWith('custom.') ? 'custom' : nameIn(path)] ??
    'A forma deste valor não está certa.',
  phone: () => PHONE,
  range: () => 'O valor está fora dos limites.',
  past: () => 'Este momento já passou.',
  pair: () => 'Dê dois valores: de e até.',
  order: () => 'O primeiro não pode vir depois do segundo.',
  duration: () => 'Use uma duração ISO 8601, como P7D.',
  duration_range: () => 'Use uma duração de até 365 dias.',
  date_time: () => 'Escreva data e hora, como 2027-11-26T09:00.',
  when_range: () => 'Escolha um momento entre 5 minutos e 365 dias à frente.',
  local_time: () => 'Use duas horas diferentes, como 21:00 e 08:00.',
  no_run: () => 'Terminaria antes do próximo envio.',
  not_applicable: () => 'Isto não se aplica aqui: deixe vazio.',
  exactly_one: () => 'Dê exatamente um destes.',
  blocked: () => 'Este contato está bloqueado.',
  no_phone: () => 'O contato não tem telefone no WhatsApp.',
  other: () => 'Escolha outro contato.',
  unconfirmed: () => 'O WhatsApp não confirma isto.',
  unknown_field: () => 'Este campo não existe.',
  unknown_parameter: () => 'Este parâmetro não existe.',
  unknown_key: () => 'O formulário não tem um campo com esta chave.',
  unknown_variable: (broken) =>
    `Não há a variável ${variables(broken.which)}. Há: ${variables(broken.allowed)}.`,
  variable_form: (broken) =>
    `Uma variável tem duas chaves de cada lado: ${variables(broken.which)}.`,
  missing_variable: () => 'Uma variável está vazia para este contato.',
  opt_in: () => 'Só a pessoa, ou alguém da equipe com um motivo por escrito, desfaz isto.',
  unknown_message: () => 'A conversa não tem esta mensagem.',
  unknown_template: () => 'O número não tem um modelo aprovado com este nome e idioma.',
  unsupported: () =>
    'Os parâmetros do cabeçalho ou dos botões deste modelo não podem ser enviados daqui.',
  count: ({ limit }) =>
    limit === undefined
      ? 'Faltam parâmetros, ou sobram.'
      : `Quantidade de parâmetros do modelo: ${limit}.`,
  no_member: () => 'Escolha uma pessoa.',
  no_recipients: () => 'Ninguém da campanha está nesta situação.',
  none_left: () =>
    'Quem está nesta situação já recebeu por outro reenvio, ainda pode receber, ou não existe mais.',
  status: () => 'A situação não permite enviar outra vez.',
  left_group: () => 'O número não está mais neste grupo.',
  other_phone: () =>
    'O contato com este id não tem este telefone. Troque-o na página dele, ou deixe o id em branco.',
  other_number: () => 'Outro número está neste grupo: use aquele.',
  gone: () => 'O contato ou grupo não existe mais.',
  reached: () =>
    'Já recebeu, ou ainda pode receber: por outro reenvio, ou como outra destinatária da campanha.',
  not_subscribed: () => 'O endpoint não recebe este evento. Acrescente o evento antes.',
  save_to_type: () => 'Uma resposta deste tipo não pode ser salva aí.',
  max_depth: counted('Grupos têm no máximo', ' níveis.'),
  max_conditions: counted('Use no máximo', ' condições.'),
  stays_list: () => 'É uma lista: escreva cada item em uma linha própria, como “  - item”.',
  stays_number: () => 'É um número: escreva como 42.5, com ponto.',
  stays_boolean: () => 'É true ou false.',
  stage_order: () => 'Etapas ganhas e perdidas vêm depois de todas as abertas.',
  open_stage: () => 'É preciso pelo menos uma etapa aberta.',
  encoding: () => 'O arquivo não é texto em UTF-8: na planilha, salve como “CSV UTF-8”.',
  csv: ({ which: [line] = [] }) =>
    `O arquivo não pode ser lido como CSV${line ? ` perto da linha ${line}` : ''}: procure aspas.`,
  unknown_columns: (broken) =>
    `Estas colunas não existem: ${quoted(broken)}. Há: ${known(broken)}. Uma chave tem de 1 a 40 caracteres de a-z, 0-9 e _.`,
  repeated_column: (broken) =>
    `Está duas vezes: ${quoted(broken)}. Cada coluna pode estar uma vez.`,
  columns: () => 'A linha tem mais ou menos células que a primeira: procure aspas.',
  quota: () => 'O plano não permite mais contatos.',
  characters: () => 'O nome tem caracteres que não se veem.',
  redirect_uri: (broken) =>
    `Não pode ser endereço de retorno: ${quoted(broken)}. Use https (http só em localhost), sem # e sem senha.`,
  https_only: () => 'O endereço começa com https://.',
  no_credentials: () => 'O endereço não leva usuário nem senha.',
  no_ip: () => 'O endereço leva um nome, não um número IP.',
  reserved_domain: () => 'O endereço leva um domínio público.',
  port: () => 'A porta é 443, ou de 1024 a 65535.',
  malformed: () =>
    'Este não é um endereço completo como https://hooks.exemplo.com.br/in: até 2.048 caracteres, sem espaço, sem # e, no nome do servidor, sem _.',
};

/** In Portuguese; undefined for an unknown rule. */
export const ofRule = (broken: Broken): string | undefined =>
  Object.hasOwn(RULES, broken.rule) ? RULES[broken.rule]?.(broken) : undefined;
