export interface Say {
  good(sentence: string): void
  /** Says the same trouble once. */
  once(sentence: string): void
}

export function makeSay(log: { info: (sentence: string) => void; warn: (sentence: string) => void }): Say {
  let last: string | undefined
  return {
    good(sentence) {
      last = undefined
      log.info(sentence)
    },
    once(sentence) {
      if (sentence !== last) log.warn(sentence)
      last = sentence
    },
  }
}
