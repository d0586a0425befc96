import type { Transporter } from 'nodemailer'
import type { MailSettings } from '../../settings/mailsettings.ts'

const CONNECT_MS = 10_000
const SILENCE_MS = 10_000
/** Less than the time after which a browser gives the call up. */
const LIMIT_MS = 30_000

export interface Letter {
  to: string
  subject: string
  text: string
}

/** Mail by the operator's server: an address that somebody typed is given to it and looked up nowhere. */
export interface Mail {
  /** False where no mail server is set: nothing can be sent. */
  isOn: boolean
  /** True once the mail server has taken the letter; false where it did not say so within half a minute. */
  send(letter: Letter): Promise<boolean>
}

/** `report` is told why a letter was not taken, in codes without addresses. The mail client is loaded with the first letter. */
export function makeMail(settings: MailSettings | undefined, report: (why: object) => void): Mail {
  if (!settings) return { isOn: false, send: async () => false }
  const { from } = settings
  let loading: Promise<Transporter> | undefined
  return {
    isOn: true,
    async send({ to, subject, text }) {
      loading ??= load(settings)
      const transport = await loading
      const headers = { 'Auto-Submitted': 'auto-generated' }
      // As an object the address is never read as a list of addresses.
      const letter = { from, to: { name: '', address: to }, subject, text, headers }
      try {
        await inTime(transport.sendMail(letter))
        return true
      } catch (error) {
        if (!isOfMail(error)) throw error
        report({ code: error.code, answer: error.responseCode })
        return false
      }
    },
  }
}

async function load({ host, port, isSecure, isLocal, user, password }: MailSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    ...{ host, port, secure: isSecure, requireTLS: !isSecure && !isLocal, ignoreTLS: isLocal },
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, dnsTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
}

async function inTime(sent: Promise<unknown>): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })), { once: true })
  })
  await Promise.race([sent, late])
}

/** The connection, TLS, the sign-in, or the mail server’s answer failed. */
const isOfMail = (error: unknown): error is Error & { code: string; responseCode?: number } =>
  error instanceof Error && 'code' in error && /^E(?!RR_)[A-Z0-9_]+$/.test(String(error.code))
