import type { Context } from '../../../src/context.ts';
import type { FieldDraft } from '../../../src/forms/fields.ts';
import { createForm, publishForm } from '../../../src/forms/service.ts';

export interface FormWishes {
  readonly title?: string;
  readonly description?: string | null;
  readonly fields?: readonly Partial<FieldDraft>[];
  readonly thanks?: string | null;
  readonly tag?: string | null;
  readonly automation?: string | null;
  readonly personal_link?: boolean;
  /** Published unless told. */
  readonly draft?: boolean;
}

export const NAME: Partial<FieldDraft> = { type: 'text', label: 'Nome completo', save_to: 'name' };
export const PHONE: Partial<FieldDraft> = {
  type: 'phone',
  label: 'WhatsApp',
  required: true,
  save_to: 'phone',
};

/** A form that asks for a name and a phone, unless told otherwise. */
export async function aForm(ctx: Context, wishes: FormWishes = {}): Promise<{ id: string }> {
  const { fields = [NAME, PHONE], draft = false, ...rest } = wishes;
  const form = await createForm(ctx, {
    title: 'Cadastro',
    description: null,
    thanks: null,
    tag: null,
    automation: null,
    personal_link: false,
    ...rest,
    fields: fields.map((field) => ({
      type: 'text',
      label: 'Pergunta',
      required: false,
      save_to: '',
      ...field,
      options: [...(field.options ?? [])],
    })),
  });
  if (!draft) await publishForm(ctx, form.id, 'http://api.test');
  return form;
}
