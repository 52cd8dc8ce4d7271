import { DAY_MS, HOUR_MS } from '../../durations.ts';
import type { AppError, ERROR_STATUS, ErrorCode } from '../../errors.ts';
import { sizeOf } from '../../media/kinds.ts';
import type { Language } from '../../pages/language.ts';
import { ofRule } from './rules-pt.ts';
import { planName } from './texts.ts';

interface Problem {
  /** Its place in what was sent: `rules.all[1].op`. */
  readonly path?: string;
  readonly rule: string;
  /** The service's English sentence. */
  readonly message: string;
  readonly limit?: number | undefined;
  readonly allowed?: readonly (string | number)[] | undefined;
  readonly which?: readonly (string | number)[] | undefined;
}

/** What is wrong with a field, in the reader's language. */
export const problemText = (lang: Language, problem: Problem): string =>
  (lang === 'pt-BR' ? ofRule(problem) : undefined) ?? problem.message;

/** Shown beside the form; other codes have their own page. */
type Refusal =
  | 'forbidden'
  | {
      [C in ErrorCode]: (typeof ERROR_STATUS)[C] extends 409 | 413 | 415 | 422 | 429 | 503
        ? C
        : never;
    }[ErrorCode];

const CODES_PT: Readonly<Record<Refusal, string>> = {
  forbidden:
    'Isto alcança mais do que você pode ver. Só quem o criou, ou quem vê todo o espaço de trabalho, pode fazer esta mudança.',
  conflict: 'Isto mudou enquanto a página estava aberta. Recarregue-a.',
  duplicate: 'Já existe um com este nome, endereço ou telefone.',
  in_use: 'Ainda está em uso. Retire-o antes de onde é usado.',
  invalid_state: 'No estado atual isto não é possível. Recarregue a página.',
  last_owner: 'O espaço de trabalho precisa de pelo menos um proprietário que possa entrar.',
  quota: 'O limite do plano foi alcançado.',
  idempotency_in_progress: 'O mesmo pedido ainda está sendo feito. Espere um instante.',
  payload_too_large: 'O arquivo é grande demais.',
  unsupported_media_type:
    'Envie um JPEG ou PNG, MP4 ou 3GP, AAC, AMR, MP3, M4A ou OGG, WebP, PDF, documento do Office ou texto simples.',
  validation: 'Algo no formulário não está certo.',
  form_without_identity:
    'O formulário precisa saber quem responde: acrescente um campo de telefone obrigatório que se salva em phone, ou marque o link pessoal.',
  idempotency_mismatch: 'Um pedido diferente já foi feito com esta página. Recarregue-a.',
  invalid_definition: 'A definição da automação tem problemas.',
  member_not_in_team: 'A pessoa não faz parte desta equipe.',
  opted_out: 'O contato pediu para não receber mais mensagens.',
  out_of_window:
    'Passaram 24 horas desde a última mensagem do contato: só um modelo pode ser enviado.',
  pace_not_allowed: 'O número, o público ou o plano não permite este ritmo.',
  segment_too_heavy: 'Estas regras são pesadas demais para contar. Use menos condições.',
  team_not_in_number: 'A equipe não atende neste número.',
  unknown_automation: 'Não há automação com este nome.',
  unknown_contact: 'Não há este contato.',
  unknown_conversation: 'O contato não tem esta conversa.',
  unknown_group: 'Não há este grupo.',
  unknown_media: 'Não há este arquivo.',
  unknown_number: 'Não há este número.',
  unknown_member: 'Não há esta pessoa no espaço de trabalho.',
  unknown_segment: 'Não há este segmento.',
  unknown_stage: 'Não há esta etapa no funil.',
  unknown_team: 'Não há esta equipe.',
  rate_limited: 'Há pedidos demais ao mesmo tempo. Espere um instante e envie outra vez.',
  unavailable:
    'Isto não deu certo agora, ou pode ter sido feito mesmo assim. O que você escreveu continua aqui: espere um instante e envie outra vez.',
};

const IN_DOUBT = 'It may have been done all the same. What you wrote is still here.';

const isRefusal = (code: ErrorCode): code is Refusal => Object.hasOwn(CODES_PT, code);

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', 60_000],
] as const;

/** A conflict that no reload would end. */
function heldPt(details: Record<string, unknown>, now: Date): string | undefined {
  const { possible_at: at, path } = details;
  if (path === 'personal_link')
    return 'Este formulário pede ele mesmo o telefone: compartilhe o endereço dele, ou marque o link pessoal.';
  if (typeof at !== 'string') return undefined;
  const ms = Date.parse(at) - now.getTime();
  const [unit, length] = UNITS.find(([, one]) => ms > one) ?? UNITS[2];
  const left = new Intl.RelativeTimeFormat('pt-BR').format(Math.ceil(ms / length), unit);
  return `Cedo demais para fazer isto outra vez. Tente de novo ${left}.`;
}

const USERS_PT: Readonly<Record<string, string>> = {
  automations: 'automações',
  campaigns: 'campanhas',
  deals: 'negócios',
  forms: 'formulários',
  numbers: 'números',
  reminders: 'lembretes',
  segments: 'segmentos',
};

/** By what it is used, where that was counted or is one thing. */
function usedPt({ used_by: usedBy, number_id: number }: Record<string, unknown>) {
  if (number !== undefined) return 'É a equipe padrão de um número. Escolha antes outra ali.';
  const counts = Object.entries((usedBy ?? {}) as Record<string, number>);
  const named = counts
    .filter(([, count]) => count > 0)
    .map(([users, count]) => `${USERS_PT[users] ?? users}: ${count}`);
  if (named.length === 0) return undefined;
  return `Ainda está em uso (${named.join(', ')}). Retire-o antes de onde é usado.`;
}

/** By whom it was taken, as the details name them. */
const TAKEN_PT: Readonly<Record<string, string>> = {
  contact_id: 'Outro contato já tem este telefone.',
  deal_id: 'O contato já tem um negócio aberto neste funil.',
  member_id: 'Alguém do espaço de trabalho já tem este e-mail.',
  pipeline_id: 'Outro funil já tem este nome.',
  automation_id: 'Outra automação já tem este nome.',
};

/** The text of what the details name. */
const byNamed =
  (texts: Readonly<Record<string, string>>) =>
  (details: Record<string, unknown>): string | undefined =>
    texts[Object.keys(details).find((name) => Object.hasOwn(texts, name)) ?? ''];

const UNSEEN_PT: Readonly<Record<string, string>> = {
  automation_id:
    'Uma automação age também sobre o que você não vê. Só quem vê todo o espaço de trabalho pode ativá-la.',
  segment_id:
    'Este segmento pergunta sobre o que você não vê. Só quem vê todo o espaço de trabalho pode enviar a ele.',
  contact_id:
    'Há conversas com esta pessoa que você não vê. Só quem vê todas elas pode apagar o contato ou juntá-lo com outro.',
};

const pacePt = ({ allowed }: Record<string, unknown>): string | undefined =>
  Array.isArray(allowed)
    ? `O número, o público ou o plano permite no máximo ${Math.max(...allowed)} por minuto.`
    : undefined;

const sizePt = ({ limit }: Record<string, unknown>): string | undefined =>
  typeof limit === 'number' ? `Um arquivo deste tipo tem no máximo ${sizeOf(limit)}.` : undefined;

const count = (n: number): string => n.toLocaleString('pt-BR');

const quotaPt = ({ plan, limit, used, unit }: Record<string, unknown>): string | undefined => {
  if (unit === 'bytes' && typeof limit === 'number')
    return `Em 24 horas podem ser enviados ${sizeOf(limit)} de arquivos, e isto passa do limite. Tente de novo mais tarde.`;
  return typeof plan === 'string' && typeof limit === 'number' && typeof used === 'number'
    ? `O plano ${planName(plan)} permite ${count(limit)}, dos quais ${count(used)} já estão usados, e isto passa do limite. Quem opera este serviço pode mudar o plano.`
    : undefined;
};

/** What the details tell beyond the code. */
const MORE_PT: {
  readonly [C in ErrorCode]?: (details: Record<string, unknown>, now: Date) => string | undefined;
} = {
  conflict: heldPt,
  duplicate: byNamed(TAKEN_PT),
  forbidden: byNamed(UNSEEN_PT),
  in_use: usedPt,
  pace_not_allowed: pacePt,
  payload_too_large: sizePt,
  quota: quotaPt,
};

type Refused = Pick<AppError, 'code' | 'message' | 'details'>;

/** Why a whole action was refused. */
export function refusalText(
  lang: Language,
  { code, message, details }: Refused,
  now: Date,
): string {
  if (lang !== 'pt-BR' || !isRefusal(code))
    return code === 'unavailable' ? `${message} ${IN_DOUBT}` : message;
  return MORE_PT[code]?.({ ...details }, now) ?? CODES_PT[code];
}
