// The connection to the daemon, through the map server: lines of its protocol in, requests out. See handlebar-protocol(7).

/** Longest silence before the daemon is asked for an answer, and before the connection is given up; milliseconds. */
const askAfter = 2000
const giveUpAfter = 5000
/** First and longest wait before connecting again, milliseconds. */
const firstWait = 250
const longestWait = 3000

export class Daemon {
  #socket
  #wait = firstWait
  #heard = 0
  #reason = ''
  #timer

  /** `probe` is the request that every daemon answers. Calls `onOpen()`, `onLine(line)` and `onLost(reason)`. */
  constructor(probe, { onOpen, onLine, onLost }) {
    this.probe = probe
    this.onOpen = onOpen
    this.onLine = onLine
    this.onLost = onLost
    this.#connect()
    setInterval(() => this.#check(), 1000)
    // Waiting is for servers that are down; a phone that wakes up need not wait.
    addEventListener('online', () => this.#retry())
    document.addEventListener('visibilitychange', () => document.hidden || this.#retry())
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Sends `?NAME;` or `?NAME={…};`; false without a connection. */
  send(name, fields) {
    if (!this.isOpen) return false
    this.#socket.send(fields ? `?${name}=${JSON.stringify(fields)};\n` : `?${name};\n`)
    return true
  }

  #connect() {
    clearTimeout(this.#timer)
    const socket = new WebSocket(`ws://${location.host}/viewer`)
    this.#socket = socket
    this.#heard = performance.now()
    this.#reason = ''
    let isGreeted = false
    socket.onmessage = (message) => {
      if (socket !== this.#socket) return
      this.#heard = performance.now()
      for (const text of message.data.split('\n')) {
        if (text.length < 2) continue
        const line = JSON.parse(text)
        if (line.class === 'VERSION' && !isGreeted) {
          isGreeted = true
          this.#wait = firstWait
          this.onOpen()
        } else if (line.class === 'ERROR' && !line.request) this.#reason = line.message
        this.onLine(line)
      }
    }
    socket.onclose = () => socket === this.#socket && this.#lose()
  }

  #lose() {
    this.#socket = undefined
    this.onLost(this.#reason)
    this.#timer = setTimeout(() => this.#connect(), this.#wait * (0.75 + Math.random() / 2))
    this.#wait = Math.min(2 * this.#wait, longestWait)
  }

  #retry() {
    if (this.#socket) return
    this.#wait = firstWait
    this.#connect()
  }

  #check() {
    if (!this.#socket) return
    const silence = performance.now() - this.#heard
    if (silence > giveUpAfter) {
      const socket = this.#socket
      this.#reason = 'the map server does not answer'
      this.#lose()
      socket.close()
    } else if (silence > askAfter) this.send(...this.probe)
  }
}
