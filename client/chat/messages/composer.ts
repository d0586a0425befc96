interface OpenField {
  chatRoomId: string
  /** The same object as long as the field is shown. */
  field: { current: HTMLTextAreaElement | null }
  giveBack: (text: string) => Promise<void>
}

/** The open chat's field. */
export const composer: { open?: OpenField } = {}
