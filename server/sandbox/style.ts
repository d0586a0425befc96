import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** As client/ui/tokens.css. */
export const STYLE = `:root{color-scheme:light dark;
--bg:light-dark(oklch(.972 .004 90),oklch(.165 .01 262));--surface:light-dark(oklch(.998 .001 90),oklch(.2 .011 262));
--text:light-dark(oklch(.215 .014 262),oklch(.945 .004 90));--text-2:light-dark(oklch(.42 .014 262),oklch(.79 .008 262));
--line:light-dark(oklch(.9 .005 90),oklch(.29 .012 262));--edge:light-dark(oklch(.64 .01 262),oklch(.54 .012 262));
--accent:light-dark(oklch(.4 .125 260),oklch(.8 .08 256));--on-accent:light-dark(oklch(.99 .002 90),oklch(.19 .03 262));
--warn:light-dark(oklch(.475 .11 58),oklch(.82 .115 72));--warn-soft:light-dark(oklch(.958 .03 80),oklch(.275 .035 68));
--danger:light-dark(oklch(.48 .175 27),oklch(.77 .125 24));
--sans:'Inter Variable',ui-sans-serif,system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif;
--serif:'Newsreader Variable','Iowan Old Style',Georgia,serif;--mono:ui-monospace,'SF Mono',Menlo,Consolas,monospace}
*{box-sizing:border-box}html{background:var(--bg);color:var(--text)}body{margin:0;font:420 15px/23px var(--sans)}
h1,h2,p,dl,dd,table{margin:0}a{color:var(--accent);text-underline-offset:3px}small,.small{font-size:13px;line-height:20px;color:var(--text-2)}
.banner{padding:10px 16px;background:var(--warn-soft);color:var(--warn);font:540 13px/20px var(--sans);text-align:center}
.brand{display:flex;align-items:center;gap:10px;font:400 21px/28px var(--serif)}.brand svg{width:26px;fill:none;stroke:currentColor;stroke-width:1.7}
.page{max-width:960px;margin:0 auto;padding:0 32px 64px}.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,400px);gap:72px}
.top{display:flex;justify-content:space-between;align-items:center;gap:16px;padding-top:32px;padding-bottom:56px}
h1{font:400 28px/34px var(--serif);letter-spacing:-.022em}h2{font:620 17px/24px var(--sans);letter-spacing:-.011em}
.price{margin:0 0 24px;font:380 56px/64px var(--serif);letter-spacing:-.025em}
.sheet h1,.alone h1{margin-bottom:12px}.alone{max-width:520px}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}
td,th{padding:10px 12px 10px 0;border-bottom:1px solid var(--line);text-align:left;font-weight:420;vertical-align:top}
td:last-child,th:last-child{padding-right:0}.sum td:last-child,.sum th:last-child{text-align:right}
.sum{border-top:1px solid var(--text)}.sum .total td{font-weight:620}th{color:var(--text-2);font-size:12px}
form{display:grid;gap:16px;margin:20px 0}label{display:grid;gap:6px;font:540 13px/20px var(--sans)}
input{min-height:44px;padding:0 12px;border:1px solid var(--edge);border-radius:8px;background:var(--surface);color:inherit;font:420 16px/24px var(--mono)}
input:focus-visible{outline:2px solid var(--accent);outline-offset:-1px}input[aria-invalid]{border-color:var(--danger)}
button{min-height:44px;padding:0 20px;border:1px solid var(--edge);border-radius:8px;background:var(--surface);color:inherit;font:540 15px/20px var(--sans);cursor:pointer}
button:first-of-type{border-color:transparent;background:var(--accent);color:var(--on-accent)}button:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.error{color:var(--danger);font:540 13px/20px var(--sans)}.cards{margin-top:8px}.cards td:first-child{white-space:nowrap;font-family:var(--mono);font-size:13px}
#form{max-width:30rem;margin:0 auto;padding:24px;display:grid;gap:12px}
dl{display:grid;grid-template-columns:auto 1fr;gap:6px 24px;font-size:14px}dt{color:var(--text-2)}section+section,.block{margin-top:40px}.two>section{margin:0}
.sheet{color-scheme:light;max-width:720px;margin:0 auto;padding:60px;border:1px solid var(--line);border-radius:4px;background:#fff;color:var(--text)}
.sheet header{display:flex;justify-content:space-between;gap:16px;padding-bottom:20px;margin-bottom:20px;border-bottom:1px solid var(--text)}
.after-form button:first-of-type{border-color:var(--edge);background:var(--surface);color:inherit}h2+.sum{margin-top:12px}.sheet .small{margin-top:24px}.sheet .price{margin:0;font-size:40px;line-height:48px}.sheet dl{margin:24px 0}code{font:420 13px/20px var(--mono)}
@media(max-width:767px){.page{padding:0 16px 40px}.top{padding-top:20px;padding-bottom:28px}.two{grid-template-columns:minmax(0,1fr);gap:32px}.sheet{padding:24px 20px}.price{font-size:44px;line-height:52px}}
@media print{.banner,.top,.after{display:none}html{background:none}.page{padding:0}.sheet{border:0;padding:0}}`

const FONTS: Record<string, string> = { inter: 'Inter Variable', newsreader: 'Newsreader Variable' }

/** Nothing without a built client. */
export function fontsOf(clientFolder: string | undefined): string {
  const folder = clientFolder && path.join(clientFolder, 'assets')
  if (!folder || !existsSync(folder)) return ''
  return readdirSync(folder)
    .flatMap((file) => {
      const family = FONTS[/^(inter|newsreader)-text-[^.]*[.]woff2$/.exec(file)?.[1] ?? '']
      return family === undefined
        ? []
        : [`@font-face{font-family:'${family}';font-weight:380 640;font-display:swap;src:url('/assets/${file}') format('woff2')}`]
    })
    .join('\n')
}
