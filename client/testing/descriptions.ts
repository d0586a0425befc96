import { randomBytes } from 'node:crypto'

// What two connections of tests tell each other.

export interface Certificate {
  expires: number
  getFingerprints: () => { algorithm: string; value: string }[]
}

export const newCertificate = (): Certificate => {
  const value = [...randomBytes(32)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')
  return { expires: Number.MAX_SAFE_INTEGER, getFingerprints: () => [{ algorithm: 'sha-256', value }] }
}

export interface Description {
  type: 'offer' | 'answer'
  sdp: string
}

export const field = (sdp: string, name: string): string => new RegExp(`^a=${name}:(.*)$`, 'm').exec(sdp)?.[1]?.trim() ?? ''
