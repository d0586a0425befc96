import { createHmac, randomBytes } from 'node:crypto'

export interface RelayCredentials {
  username: string
  credential: string
}

/** Makes credentials that end by themselves, as coturn's `use-auth-secret` takes them. The name is of nobody. */
export function makeCredentials(secret: string, expiresAt: Date): RelayCredentials {
  const username = `${Math.floor(expiresAt.getTime() / 1000)}:${randomBytes(12).toString('hex')}`
  return { username, credential: credentialOf(secret, username) }
}

export const credentialOf = (secret: string, username: string): string =>
  createHmac('sha1', secret).update(username).digest('base64')

/** False also for a name that is no time. */
export const isUnexpired = (username: string, now: Date): boolean => {
  const [seconds = ''] = username.split(':')
  return /^\d{1,12}$/.test(seconds) && Number(seconds) * 1000 > now.getTime()
}
