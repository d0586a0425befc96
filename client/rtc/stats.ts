import type { Peer } from './peer.ts'

export interface Measured {
  line: 'good' | 'weak'
  isRelayed: boolean
}

export interface Speaks {
  own: boolean
  other: boolean
}

interface Heard {
  onMeasured: (measured: Measured) => void
  onSpeaks: (speaks: Speaks) => void
}

interface Sums {
  packets: number
  lost: number
  freezes: number
}

interface Report {
  rttMs: number | null
  isRelayed: boolean
  received: Sums
  lostThere: number
}

const LINE_MS = 2000
const SPEECH_MS = 400
/** ITU-T G.114. */
const RTT_MAX_MS = 400
const LOSS_MAX = 0.05
const SPEECH = 0.02

/** Returns how to stop. */
export function followStats({ connection }: Pick<Peer, 'connection'>, { onMeasured, onSpeaks }: Heard): () => void {
  let before: Sums | undefined
  let spoke: Speaks = { own: false, other: false }
  let isOver = false
  const guarded = (work: () => Promise<void>) => () => {
    // Nobody looks at a hidden page.
    if (connection.connectionState === 'connected' && !globalThis.document?.hidden) void work().catch(() => undefined)
  }
  const measure = guarded(async () => {
    const report = readReport(await connection.getStats())
    if (isOver) return
    onMeasured({ line: lineOf(report, before), isRelayed: report.isRelayed })
    before = report.received
  })
  const listen = guarded(async () => {
    const speaks = { own: (await ownLevel(connection)) > SPEECH, other: otherLevel(connection) > SPEECH }
    if (isOver || (speaks.own === spoke.own && speaks.other === spoke.other)) return
    spoke = speaks
    onSpeaks(speaks)
  })
  const timers = [setInterval(measure, LINE_MS), setInterval(listen, SPEECH_MS)]
  return () => {
    isOver = true
    for (const timer of timers) clearInterval(timer)
  }
}

export function lineOf({ rttMs, received, lostThere }: Report, before: Sums | undefined): 'good' | 'weak' {
  if ((rttMs ?? 0) > RTT_MAX_MS || lostThere > LOSS_MAX) return 'weak'
  if (!before) return 'good'
  const lost = received.lost - before.lost
  const all = lost + received.packets - before.packets
  return received.freezes > before.freezes || (all > 0 && lost / all > LOSS_MAX) ? 'weak' : 'good'
}

export function readReport(stats: RTCStatsReport): Report {
  const report: Report = { rttMs: null, isRelayed: false, received: { packets: 0, lost: 0, freezes: 0 }, lostThere: 0 }
  const all = [...stats.values()]
  const pairId = all.find(
    ({ type, selectedCandidatePairId }) => type === 'transport' && selectedCandidatePairId,
  )?.selectedCandidatePairId
  for (const one of all) {
    if (
      one.type === 'candidate-pair' &&
      (pairId ? one.id === pairId : one.selected || (one.nominated && one.state === 'succeeded'))
    ) {
      if (typeof one.currentRoundTripTime === 'number') report.rttMs = one.currentRoundTripTime * 1000
      report.isRelayed = stats.get(one.localCandidateId)?.candidateType === 'relay'
    }
    if (one.type === 'inbound-rtp') {
      report.received.packets += one.packetsReceived ?? 0
      report.received.lost += Math.max(0, one.packetsLost ?? 0)
      report.received.freezes += one.freezeCount ?? 0
    }
    if (one.type === 'remote-inbound-rtp') report.lostThere = Math.max(report.lostThere, one.fractionLost ?? 0)
  }
  return report
}

/** A whole report costs more. */
async function ownLevel(connection: RTCPeerConnection): Promise<number> {
  const sender = connection.getSenders().find(({ track }) => track?.kind === 'audio')
  if (!sender?.track?.enabled) return 0
  for (const one of (await sender.getStats()).values()) if (one.type === 'media-source') return one.audioLevel ?? 0
  return 0
}

function otherLevel(connection: RTCPeerConnection): number {
  const receiver = connection.getReceivers().find(({ track }) => track.kind === 'audio')
  return receiver?.getSynchronizationSources?.()[0]?.audioLevel ?? 0
}
