export const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`)
export const dollars = (cents: number): string => `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`
export const day = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

const MARK =
  '<svg viewBox="0 0 26 24" aria-hidden="true"><path d="M13.6 6.4A7 7 0 1 0 13.6 17.6"/><path d="M9 12h14.5M18.6 12v3.6M23.5 12v2.6"/></svg>'
export const BRAND = `<span class="brand">${MARK}Conclave</span>`

export const frame = (
  title: string,
  back: string,
  body: string,
): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}: Sandbox</title>
<link rel="stylesheet" href="/sandbox/fonts.css"><link rel="stylesheet" href="/sandbox/style.css"></head><body>
<header><p class="banner" role="note">Sandbox, no real money</p><div class="page top">${BRAND}${back}</div></header><main class="page">${body}</main></body></html>`

export const BACK = '<a href="/subscribe">Back to Conclave</a>'

export const page = (title: string, body: string): string =>
  frame(title, BACK, `<div class="alone"><h1>${escaped(title)}</h1>${body}</div>`)
