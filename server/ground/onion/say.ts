/** The sentences of the log. */
export interface Say {
  good(sentence: string): void
  /** Says nothing where this was the last trouble that it told. */
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
