import { createHash } from 'node:crypto';

/** The page's complete style, small enough to be sent with it. */
export const STYLE = `
:root{color-scheme:light dark;--ground:#f4f6f5;--card:#fff;--ink:#17211d;--soft:#55645d;--line:#84938c;--edge:#dde4e0;--accent:#0b6b4f;--on-accent:#fff;--error:#b3261e;--error-ground:#fdf1f0;--focus:#0b57d0}
@media (prefers-color-scheme:dark){:root{--ground:#101614;--card:#18211e;--ink:#e8efec;--soft:#a5b5ad;--line:#74857d;--edge:#2b3833;--accent:#6fd6b0;--on-accent:#06281d;--error:#ffb4ab;--error-ground:#33201e;--focus:#a8c7fa}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:38rem;margin:0 auto;padding:clamp(1rem,5vw,3.5rem) clamp(.75rem,4vw,1.5rem) 2rem}
.card{background:linear-gradient(var(--accent),var(--accent)) top/100% 5px no-repeat var(--card);border:1px solid var(--edge);border-radius:14px;padding:clamp(1.25rem,5vw,2.5rem);overflow-wrap:anywhere}
.from{margin:0 0 .25rem;color:var(--soft);font-size:.9375rem}
h1{margin:0;font-size:clamp(1.5rem,5vw,1.9375rem);line-height:1.25;letter-spacing:-.01em}
.lead{margin:.625rem 0 0;color:var(--soft);white-space:pre-line}
.note{margin:1.25rem 0 0;color:var(--soft);font-size:.9375rem}
.field{margin:1.5rem 0 0}
fieldset{border:0;padding:0;min-width:0}
label,legend{display:block;padding:0;margin:0 0 .375rem;font-weight:600}
.star{color:var(--error)}
.hint{margin:0 0 .375rem;color:var(--soft);font-size:.9375rem}
.problem{margin:0 0 .375rem;color:var(--error);font-weight:600;font-size:.9375rem}
.has-problem{border-left:4px solid var(--error);padding-left:.875rem}
input:not([type=checkbox]):not([type=radio]),select,textarea{display:block;width:100%;min-height:3rem;padding:.625rem .75rem;border:1.5px solid var(--line);border-radius:9px;background:var(--card);color:inherit;font:inherit}
textarea{min-height:8rem;resize:vertical}
[aria-invalid=true]:not([type=checkbox]):not([type=radio]){border-color:var(--error);border-width:2px}
.choice{display:flex;gap:.75rem;align-items:flex-start;padding:.5rem 0}
.choice label{margin:0;font-weight:400;flex:1}
.choice input{flex:none;width:1.5rem;height:1.5rem;margin:.0625rem 0 0;accent-color:var(--accent)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
button{display:block;width:100%;min-height:3.25rem;margin:2rem 0 0;padding:.75rem 1.25rem;border:0;border-radius:9px;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
button:hover{filter:brightness(1.08)}
.summary{margin:1.5rem 0 0;padding:1rem 1.25rem;border:2px solid var(--error);border-radius:9px;background:var(--error-ground)}
.summary h2{margin:0;font-size:1.125rem}
.summary p{margin:.25rem 0 0}
.summary ul{margin:.5rem 0 0;padding:0 0 0 1.25rem}
.summary a{color:var(--error);font-weight:600}
.trap,.unseen{position:absolute;left:-10000px;width:1px;height:1px;overflow:hidden}
.foot{margin:1.25rem 0 0;color:var(--soft);font-size:.875rem;text-align:center}
.tick{display:block;width:3.5rem;height:3.5rem;margin:0 0 1rem;color:var(--accent)}
@media (forced-colors:active){.card{border-top:5px solid}.has-problem{border-left:4px solid}}
@media print{body{background:none}button{display:none}}
`;

const hash = createHash('sha256').update(STYLE).digest('base64');

/** Allows only this style, and sending to our own address: no scripts at all, not even ours. */
export const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
