import { ConfigError, read, readUrl, type Variables } from './variables.ts'

export interface MailSettings {
  host: string
  port: number
  /** False demands STARTTLS. */
  isSecure: boolean
  isLocal: boolean
  user: string | undefined
  password: string | undefined
  from: string
}

const EXPECTED = 'an address such as smtp://user:password@mail.example.org:587, or smtps://'
/** No line can end inside. */
const FROM = /^(?:[\w .-]+ <[\w.+-]+@[\w.-]+>|[\w.+-]+@[\w.-]+)$/

/** Both variables are set, or the server sends no mail. */
export function readMail(variables: Variables): MailSettings | undefined {
  const url = readUrl(variables, 'SMTP_URL', ['smtp:', 'smtps:'], EXPECTED, false)
  const from = read(variables, 'SMTP_FROM')
  if (!url && from === undefined) return undefined
  if (!url) throw new ConfigError('SMTP_URL', 'set together with SMTP_FROM', '')
  if (from === undefined || !FROM.test(from))
    throw new ConfigError('SMTP_FROM', 'an address such as Conclave <chat@example.org>, set together with SMTP_URL', from ?? '')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (host === '') throw new ConfigError('SMTP_URL', EXPECTED, 'something else')
  const isSecure = url.protocol === 'smtps:'
  return {
    ...{ host, isSecure, from },
    port: Number(url.port) || (isSecure ? 465 : 587),
    isLocal: !isSecure && ['localhost', '127.0.0.1', '::1'].includes(host),
    user: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
  }
}
