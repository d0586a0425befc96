export interface Progress {
  isBootstrapped: boolean
  isPublished: boolean
  /** Takes an event of the control port. */
  take(line: string): void
  waitsFor(): string
}

interface Told {
  address: string
  onPublished: () => void
  onWrongClock: (sentence: string) => void
}

export const EVENTS = 'STATUS_CLIENT STATUS_GENERAL HS_DESC'

/** Follows the events of one tor (control-spec, sections 4.1.10 and 4.1.25). */
export function followTor({ address, onPublished, onWrongClock }: Told): Progress {
  let [percent, summary, reason] = [0, 'it has not begun', '']
  const progress: Progress = {
    isBootstrapped: false,
    isPublished: false,
    take(line) {
      const fieldOf = (name: string) =>
        new RegExp(`${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|(\\S+))`).exec(line)?.slice(1).find(Boolean)
      if (/^(STATUS_CLIENT \w+|status\/bootstrap-phase=\w+) ?BOOTSTRAP/.test(line)) {
        const now = Number(fieldOf('PROGRESS'))
        // An answer is read after the events that follow it.
        reason = fieldOf('WARNING') ?? (now > percent ? '' : reason)
        if (now >= percent) [percent, summary] = [now, fieldOf('SUMMARY') ?? summary]
        progress.isBootstrapped = percent === 100
      }
      if (/^STATUS_GENERAL \w+ CLOCK_SKEW/.test(line)) onWrongClock(clockWords(Number(fieldOf('SKEW'))))
      if (progress.isPublished || !line.startsWith(`HS_DESC UPLOADED ${address.replace('.onion', '')} `)) return
      progress.isPublished = true
      onPublished()
    },
    waitsFor: () =>
      progress.isBootstrapped
        ? 'Tor is connected, but its network has not taken the description of the onion service yet'
        : `Tor does not come into its network: it stands at ${percent} % (${summary})${reason && `, because: ${reason}`}`,
  }
  return progress
}

/** `skew` in seconds; positive: this clock is ahead. */
function clockWords(skew: number): string {
  const minutes = Math.max(1, Math.round(Math.abs(skew) / 60))
  const shown = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  const direction = skew < 0 ? 'behind' : 'ahead'
  return `The clock of this machine is wrong: by the Tor network it is ${shown} ${direction}. Nobody reaches the onion service before it is right`
}
