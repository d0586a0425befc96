import { LIMITS } from '../../../contract/ground/limits.ts'

const PLAIN = '/favicon.svg'

const wordsOf = (unread: number): string => (unread > LIMITS.notificationCap ? `${LIMITS.notificationCap}+` : String(unread))

/** The icon of the page with a mark, as an address; the plain one for none. */
function iconOf(words: string | null, isDark: boolean): string {
  if (words === null) return PLAIN
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="${isDark ? '#9dc0f5' : '#1b428a'}" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"><path d="M17.2 8.2A8.6 8.6 0 1 0 17.2 21.8"/><path d="M11.5 15H29.5M23.4 15v4.6M29.5 15v3.4"/></g><rect x="${words.length > 1 ? 9 : 14}" y="0" width="${words.length > 1 ? 23 : 18}" height="18" rx="9" fill="#b3261e"/><text x="${words.length > 1 ? 20.5 : 23}" y="14" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="15" fill="#fff">${words}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

let unreadNow = 0
let isRinging = false

/** Shows the number in the tab's icon. */
export function showIcon(unread: number): void {
  unreadNow = unread
  draw()
}

export function showRingIcon(isOn: boolean): void {
  isRinging = isOn
  draw()
}

function draw(): void {
  const link = globalThis.document?.querySelector?.<HTMLLinkElement>('link[rel="icon"]')
  const words = isRinging ? '!' : unreadNow === 0 ? null : wordsOf(unreadNow)
  if (link) link.href = iconOf(words, matchMedia('(prefers-color-scheme: dark)').matches)
}
