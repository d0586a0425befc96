/** All keys, for the sheet that "?" opens. */
export const KEYS: { title: string; keys: { words: string; press: string[] }[] }[] = [
  {
    title: 'Anywhere',
    keys: [
      { words: 'Go to a chat, a setting or an action', press: ['Ctrl', 'K'] },
      { words: 'Search in the open chat', press: ['Ctrl', 'F'] },
      { words: 'Next chat', press: ['Alt', '↓'] },
      { words: 'Previous chat', press: ['Alt', '↑'] },
      { words: 'One step back', press: ['Esc'] },
      { words: 'Lock this browser', press: ['Ctrl', 'Alt', 'L'] },
      { words: 'These keys', press: ['?'] },
    ],
  },
  {
    title: 'List',
    keys: [
      { words: 'Up and down the rows', press: ['↑', '↓'] },
      { words: 'Open', press: ['Enter'] },
      { words: 'Actions of a row', press: ['Shift', 'F10'] },
      { words: 'Pin a chat', press: ['P'] },
      { words: 'Move a pinned chat', press: ['Alt', 'Shift', '↑↓'] },
      { words: 'Mark as read or unread', press: ['U'] },
      { words: 'Mute', press: ['M'] },
      { words: 'Archive', press: ['E'] },
    ],
  },
  {
    title: 'Writing',
    keys: [
      { words: 'Send', press: ['Enter'] },
      { words: 'New line', press: ['Shift', 'Enter'] },
      { words: 'Emoji', press: ['Ctrl', '.'] },
      { words: 'Take the emoji of a code, such as :fol', press: ['Tab'] },
      { words: 'Edit your last message, in an empty field', press: ['↑'] },
    ],
  },
  {
    title: 'On a message',
    keys: [
      { words: 'From message to message', press: ['↑', '↓'] },
      { words: 'React with 👍, or take it back', press: ['Double click'] },
      { words: 'Reply', press: ['R'] },
      { words: 'Copy', press: ['Ctrl', 'C'] },
      { words: 'Forward', press: ['F'] },
      { words: 'Select, and select more', press: ['X'] },
      { words: 'Edit', press: ['E'] },
      { words: 'Star, or take the star away', press: ['S'] },
      { words: 'Pin, or take off the pin', press: ['P'] },
      { words: 'Details', press: ['I'] },
      { words: 'Delete', press: ['Delete'] },
      { words: 'All actions', press: ['Shift', 'F10'] },
    ],
  },
  {
    title: 'In a call',
    keys: [
      { words: 'Mute, or silence the ringing', press: ['M'] },
      { words: 'Speak while muted, as long as it is held', press: ['Space'] },
      { words: 'Camera', press: ['V'] },
      { words: 'Share the screen', press: ['S'] },
      { words: 'Devices', press: ['D'] },
      { words: 'Fullscreen', press: ['F'] },
      { words: 'Back to the chat', press: ['Esc'] },
    ],
  },
]
