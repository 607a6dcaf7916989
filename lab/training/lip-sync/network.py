"""The audio-to-viseme network: 16 kHz audio in blocks of 40 ms to visemes and closures. It is causal; its state is
passed in and out.

The look-ahead is in the labels: at the end of a block the network answers for the video frame that ended LOOK_AHEAD_S
before, in two halves of 20 ms. Both halves are heads of the block's last frame, so that the first half has 20 ms more
look-ahead.
"""

import numpy as np
import torch
from torch import nn

SAMPLE_RATE_HZ = 16_000
HOP = 640
CONTEXT = 240
FRAME = 320
WINDOW = 400
STEP = 160
MELS = 64
WIDTH = 256
# Distance in 20 ms frames between the three taps of a layer: six layers reach back 2.5 s, two more refine the result
# locally.
DILATIONS = (1, 2, 4, 8, 16, 32, 1, 4)
LOOK_AHEAD_S = 0.08
VISEMES = 15
_MISSING = 0.08
# Answers of a frame for each half of a video frame: visemes (sil PP FF and twelve more), then closure, lip-to-teeth and
# openness.
ANSWERS = VISEMES + 3
FLOOR = 1e-6


def mel_filters() -> np.ndarray:
    """float32 [257, 64]: triangles of unit sum, 40 to 7800 Hz on the mel scale."""
    bins = np.linspace(0, SAMPLE_RATE_HZ / 2, 257)
    mel = np.linspace(2595 * np.log10(1 + 40 / 700), 2595 * np.log10(1 + 7800 / 700), MELS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    filters = np.zeros((257, MELS), np.float32)
    for index in range(MELS):
        low, middle, high = edges[index : index + 3]
        filters[:, index] = np.maximum(0, np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)))
    return filters / np.maximum(filters.sum(0, keepdims=True), 1e-6)


def normalise(power: torch.Tensor) -> torch.Tensor:
    """Converts mel power to the network's input."""
    return (torch.log(power + FLOOR) + 4) / 4


class Front(nn.Module):
    """Audio [batch, 240 + n × 160] to mel power [batch, n, 64]. The DFT is a matrix product, so no FFT operator is
    needed."""

    def __init__(self):
        super().__init__()
        angle = 2 * np.pi * np.arange(WINDOW)[:, None] * np.arange(257) / 512
        window = np.hanning(WINDOW)[:, None]
        waves = np.concatenate([np.cos(angle) * window, -np.sin(angle) * window], 1).astype(np.float32)
        self.register_buffer("dft", torch.tensor(waves))
        self.register_buffer("filters", torch.tensor(np.concatenate([mel_filters()] * 2)))

    def forward(self, sound):
        frames = (sound.shape[1] - CONTEXT) // STEP
        spectrum = sound[:, STEP * torch.arange(frames)[:, None] + torch.arange(WINDOW)] @ self.dft
        return spectrum * spectrum @ self.filters


class _Taps(torch.autograd.Function):
    """A dilated convolution over time-major frames as three matrix products, without copies to another memory order."""

    @staticmethod
    def forward(context, stretch, weight, bias, dilation):
        frames, batch, width = stretch.shape[0] - 2 * dilation, stretch.shape[1], stretch.shape[2]
        rows, taps = frames * batch, weight.to(stretch.dtype).view(width, 3, width).unbind(1)
        flat = stretch.reshape(-1, width)
        starts = [tap * dilation * batch for tap in range(3)]
        mixed = torch.addmm(bias.to(stretch.dtype), flat[:rows], taps[0].T)
        for start, tap in zip(starts[1:], taps[1:]):
            mixed.addmm_(flat[start : start + rows], tap.T)
        context.save_for_backward(flat, weight)
        context.starts, context.shape = starts, stretch.shape
        return mixed.view(frames, batch, width)

    @staticmethod
    def backward(context, slope):
        flat, weight = context.saved_tensors
        width = flat.shape[1]
        slope = slope.contiguous().view(-1, width)
        taps = weight.to(flat.dtype).view(width, 3, width).unbind(1)
        by_frame, by_weight = torch.zeros_like(flat), []
        for start, tap in zip(context.starts, taps):
            by_frame[start : start + len(slope)].addmm_(slope, tap)
            by_weight.append(slope.T @ flat[start : start + len(slope)])
        by_bias = slope.sum(0, dtype=torch.float32)
        return by_frame.view(context.shape), torch.stack(by_weight, 1).reshape(width, 3 * width).float(), by_bias, None


class Layer(nn.Module):
    """x [n, B, WIDTH] plus the layer's result for three frames of it, `dilation` apart; `past` is [2 × dilation, B,
    WIDTH], the normalised frames before."""

    def __init__(self, dilation: int):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.mix = nn.Linear(3 * WIDTH, WIDTH)
        self.dilation = dilation

    def forward(self, x, past):
        reach = 2 * self.dilation
        heard = torch.relu(_norm(self.norm, x))
        if self.training:
            # Drops a channel in a whole row, so that nothing depends on a few channels that identify a voice.
            heard = nn.functional.dropout1d(heard.permute(1, 2, 0), _MISSING).permute(2, 0, 1)
        stretch = torch.cat([past.to(x.dtype), heard], 0)
        if self.training:
            return x + _Taps.apply(stretch, self.mix.weight, self.mix.bias, self.dilation), stretch[-reach:]
        taps = torch.cat([stretch[:-reach], stretch[self.dilation : -self.dilation], stretch[reach:]], 2)
        return x + self.mix(taps), stretch[-reach:]

    def hop(self, x, past):
        """The same for the two frames of one stream's block, with few operators: x [2, WIDTH], past [2 × dilation,
        WIDTH]."""
        stretch = torch.cat([past, torch.relu(self.norm(x))], 0)
        taps = torch.arange(2)[:, None] + self.dilation * torch.arange(3)
        return x + self.mix(stretch[taps].reshape(2, 3 * WIDTH)), stretch[2:]


def _norm(norm: nn.LayerNorm, x):
    return nn.functional.layer_norm(x, (WIDTH,), norm.weight.to(x.dtype), norm.bias.to(x.dtype), norm.eps)


class LipSyncNetwork(nn.Module):
    """forward(features [B, 2 × n, 64], pasts) → logits float32 [B, n, 2 halves, ANSWERS], new pasts; n frames of 20 ms.
    In training the layers compute in bfloat16, which is several times faster on processors with matrix units."""

    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(2 * MELS, WIDTH)
        self.layers = nn.ModuleList(Layer(dilation) for dilation in DILATIONS)
        self.norm = nn.LayerNorm(WIDTH)
        self.answer = nn.Linear(WIDTH, 2 * ANSWERS)

    def forward(self, features, pasts):
        heard, kept = self.listen(features, pasts)
        return self.answers(heard), kept

    def listen(self, features, pasts):
        """Hidden features before the heads: float32 [B, n, WIDTH], and new pasts."""
        batch, frames, _ = features.shape
        x, kept = self.lift(features.reshape(batch, frames // 2, 2 * MELS).transpose(0, 1)), []
        if self.training:
            x = x.bfloat16()
        for layer, past in zip(self.layers, pasts):
            x, past = layer(x, past)
            kept.append(past)
        return torch.relu(_norm(self.norm, x)).float().transpose(0, 1), kept

    def answers(self, heard):
        """Logits float32 [B, n, 2 halves, ANSWERS] from the result of `listen`."""
        return self.answer(heard).reshape(*heard.shape[:2], 2, ANSWERS)

    @staticmethod
    def silence(batch: int):
        """The state before the first audio."""
        return [torch.zeros(2 * dilation, batch, WIDTH) for dilation in DILATIONS]


# Threshold of lip-to-teeth. It is below a half, because the network is certain only of the longest ones. Chosen on the
# validation speaker.
BITING_ABOVE = 0.3
# For unknown voices the network prefers the most common visemes; TH DD kk CH SS nn RR and I are scaled by this factor.
# Chosen on the validation speaker.
COMMON_COUNTS = 0.8
# For these voices it misses more closures than it invents, so their odds are multiplied by this. Chosen on the
# validation speaker.
CLOSED_COUNTS = 1.22
_COMMON = torch.tensor([0.0, *[1.0] * 7, 0.0, 0.0, 1.0, 0.0, 0.0])


class Exported(nn.Module):
    """One block of one stream, with probabilities: the graph that ships. Its state is [2 × dilation, WIDTH] per layer.
    Closure and lip-to-teeth are the mean, in log odds, of their own heads and of the visemes PP and FF, with the
    odds of closures multiplied by CLOSED_COUNTS; the other visemes share the rest."""

    def __init__(self, network: LipSyncNetwork):
        super().__init__()
        self.front, self.network = Front(), network

    def forward(self, pcm, *pasts):
        network, kept = self.network, []
        x = network.lift(normalise(self.front(pcm)).reshape(2, 2 * MELS))
        for layer, past in zip(network.layers, pasts):
            x, past = layer.hop(x, past)
            kept.append(past)
        last = network.answer(torch.relu(network.norm(x[1:]))).reshape(1, 2, ANSWERS)
        closure, labiodental = (torch.sigmoid(self.log_odds(last, lips)) for lips in (0, 1))
        posterior = torch.softmax(torch.cat([last[..., :1], last[..., 3:VISEMES]], -1) + np.log(COMMON_COUNTS) * _COMMON, -1)
        biting = labiodental ** (np.log(0.5) / np.log(BITING_ABOVE)) * (1 - closure)
        rest = posterior * (1 - closure - biting)[..., None]
        viseme = torch.cat([rest[..., :1], closure[..., None], biting[..., None], rest[..., 1:]], -1)
        return viseme, closure, labiodental, torch.clamp(last[..., VISEMES + 2], 0, 1), *kept

    @staticmethod
    def log_odds(answers, lips: int):
        """Probability of closure (0) or lip-to-teeth (1); `answers` is [..., ANSWERS]."""
        share = torch.softmax(answers[..., :VISEMES], -1)[..., 1 + lips].clamp(1e-6, 1 - 1e-6)
        return (answers[..., VISEMES + lips] + torch.log(share / (1 - share))) / 2 + (np.log(CLOSED_COUNTS) if lips == 0 else 0)
