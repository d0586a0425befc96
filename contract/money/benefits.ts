/** What a plan allows in a UTC month, and the space of its files; -1 is no limit. */
export interface OfferLimits {
  messagesPerMonth: number
  storageGB: number
  voiceMinutes: number
  videoMinutes: number
}

/** Every paid plan takes files of this size. Without `PLANS`, because the landing has no schemas. */
export const FILE_MB = 10

export const isUnlimited = ({ messagesPerMonth, storageGB, voiceMinutes, videoMinutes }: OfferLimits): boolean =>
  [messagesPerMonth, storageGB, voiceMinutes, videoMinutes].every((limit) => limit < 0)

export function benefitsOf(limits: OfferLimits): string {
  if (isUnlimited(limits)) return 'Unlimited messages, calls and files'
  const { messagesPerMonth, storageGB, voiceMinutes, videoMinutes } = limits
  const messages = messagesPerMonth < 0 ? 'Unlimited messages' : `${counted(messagesPerMonth)} messages a month`
  const calls =
    voiceMinutes < 0 && videoMinutes < 0 ? ['calls'] : [callsOf(voiceMinutes, 'voice'), callsOf(videoMinutes, 'video')]
  const files = storageGB < 0 ? `files up to ${FILE_MB}\u00a0MB` : storageGB > 0 && `${counted(storageGB)}\u00a0GB of files`
  return [messages, ...calls, files].filter(Boolean).join(', ')
}

function callsOf(minutes: number, kind: string): string {
  if (minutes === 0) return ''
  return minutes < 0 ? `${kind} calls` : `${counted(minutes)} minutes of ${kind} calls`
}

const counted = (count: number): string => count.toLocaleString('en')
