const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.6 ui-sans-serif,system-ui,sans-serif;max-width:560px;margin:0 auto;padding:24px 16px 64px;background:light-dark(#f7f6f3,#0d0f14);color:light-dark(#41454f,#b9bcc4)}h1{font:400 2.5rem/1.06 Georgia,serif;letter-spacing:-.022em;margin:16vh 0 24px}svg{width:26px;fill:none;stroke:currentColor;stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}h1,svg{color:light-dark(#171a21,#ecebe8)}a,button{font:inherit;color:light-dark(#17408b,#9dbff2)}code{overflow-wrap:anywhere}.try,button{margin:0 8px 8px 0;display:inline-block;min-height:44px;box-sizing:border-box;padding:9px 18px;border:0;border-radius:8px;background:light-dark(#17408b,#9dbff2);color:light-dark(#fdfdfb,#0e1420);text-decoration:none;font-weight:540}.less{background:none;color:light-dark(#17408b,#9dbff2);box-shadow:inset 0 0 0 1px currentColor}form{margin:0}:focus-visible{outline:2px solid currentColor;outline-offset:2px}'
/** As in client/ui/Mark.tsx. */
const MARK =
  '<svg viewBox="0 0 26 24" aria-hidden="true"><path d="M13.6 6.4A7 7 0 1 0 13.6 17.6"/><path d="M9 12h14.5M18.6 12v3.6M23.5 12v2.6"/></svg>'

/** No cache may take the page for the app. */
export const plainPage = (title: string, body: string, { head = '', status = 503 } = {}): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}<title>${title} · Conclave</title><style>${STYLE}</style><main>${MARK}<h1>${title}</h1>${body}</main></html>`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        // A form must say where it comes from.
        'referrer-policy': 'same-origin',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      },
    },
  )

/** Asks again by itself. */
export const nothingHere = (): Response =>
  plainPage(
    'No connection',
    '<p>The server cannot be reached, and this browser no longer has the files of Conclave that open it without a connection. Your keys and messages were not touched.</p><p>This page goes on by itself as soon as there is a connection.</p><a class="try" href="">Try now</a>',
    { head: '<meta http-equiv="refresh" content="10">' },
  )

export const noPage = (): Response =>
  plainPage(
    'Nothing is here',
    '<p>Conclave has no page at this address. This browser opens nothing here but what it knows to be Conclave, so the server was not asked.</p><a class="try" href="/">Open Conclave</a>',
    { status: 404 },
  )
