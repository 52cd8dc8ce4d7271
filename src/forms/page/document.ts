import { type ComponentChild, h } from 'preact';
import { render } from 'preact-render-to-string';
import type { HtmlPage } from '../../http/mount.ts';
import { CSP, STYLE } from './style.ts';
import type { Texts } from './texts.ts';

interface Frame {
  readonly texts: Texts;
  readonly title: string;
  /** Shown below the card. */
  readonly foot: string;
}

/** A whole page around its card. */
export const documentOf = ({ texts, title, foot }: Frame, card: ComponentChild): HtmlPage => ({
  html: `<!doctype html>${render(
    h(
      'html',
      { lang: texts.lang },
      h(
        'head',
        null,
        h('meta', { charset: 'utf-8' }),
        h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
        h('meta', { name: 'robots', content: 'noindex' }),
        h('title', null, title),
        h('link', { rel: 'icon', href: 'data:,' }),
        h('style', { dangerouslySetInnerHTML: { __html: STYLE } }),
      ),
      h(
        'body',
        null,
        h('main', null, h('div', { class: 'card' }, card), h('p', { class: 'foot' }, foot)),
      ),
    ),
  )}`,
  csp: CSP,
});

/** Shown instead of a form: a heading and a few words. */
export const message = (title: string, text: string): ComponentChild =>
  h('div', null, h('h1', null, title), h('p', { class: 'lead' }, text));
