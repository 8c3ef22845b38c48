// SPDX-License-Identifier: MIT
// Models of the contracts that payment channels of x402 stand on: the channels, the collector that takes deposits
// by EIP-3009, and as much of Multicall3 as is called. The interfaces, what is signed and what is refused are those
// of the deployed ones; there is no constructor, since the code is placed at their addresses.
pragma solidity ^0.8.24;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function receiveWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) external;
}

interface Collector {
    function collect(address payer, address token, uint256 amount, bytes32 id, bytes calldata data) external;
}

interface Wallet {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

contract Channels {
    struct ChannelConfig {
        address payer;
        address payerAuthorizer;
        address receiver;
        address receiverAuthorizer;
        address token;
        uint40 withdrawDelay;
        bytes32 salt;
    }
    struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }
    struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }
    struct Channel { uint128 balance; uint128 totalClaimed; }
    struct Withdrawal { uint128 amount; uint40 initiatedAt; }
    struct Receiver { uint128 totalClaimed; uint128 totalSettled; }

    mapping(bytes32 => Channel) public channels;
    mapping(bytes32 => uint256) public refundNonce;
    mapping(bytes32 => Withdrawal) public pendingWithdrawals;
    mapping(address => mapping(address => Receiver)) public receivers;

    event ChannelCreated(bytes32 indexed channelId, ChannelConfig config);
    event ChannelClosed(bytes32 indexed channelId, ChannelConfig config);
    event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
    event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
    event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    error InvalidChannel();
    error WithdrawDelayOutOfRange();
    error ZeroDeposit();
    error InvalidCollector();
    error DepositCollectionFailed();
    error EmptyBatch();
    error InvalidSignature();
    error NotReceiverAuthorizer();
    error NotAuthorizedToClaim();
    error ClaimExceedsCeiling();
    error ClaimExceedsBalance();
    error NothingToWithdraw();
    error WithdrawalAlreadyPending();
    error WithdrawAmountExceedsAvailable();
    error NotAuthorizedToFinalizeWithdraw();
    error WithdrawalNotPending();
    error WithdrawDelayNotElapsed();
    error NotAuthorizedToRefund();
    error InvalidRefundNonce();
    error ZeroRefund();

    bytes32 constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 public constant CHANNEL_CONFIG_TYPEHASH = keccak256(
        "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,"
        "address token,uint40 withdrawDelay,bytes32 salt)"
    );
    bytes32 constant VOUCHER = keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
    bytes32 constant REFUND = keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
    bytes32 constant CLAIM_ENTRY =
        keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
    bytes32 constant CLAIM_BATCH = keccak256(
        "ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
    );
    uint256 constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i = 0; i < data.length; ++i) {
            (bool done, bytes memory result) = address(this).delegatecall(data[i]);
            if (!done) assembly { revert(add(result, 32), mload(result)) }
            results[i] = result;
        }
    }

    function deposit(ChannelConfig calldata config, uint128 amount, address collector, bytes calldata data) external {
        bool named = config.payer != address(0) && config.receiver != address(0)
            && config.receiverAuthorizer != address(0) && config.token != address(0);
        if (!named) revert InvalidChannel();
        if (config.withdrawDelay < 15 minutes || config.withdrawDelay > 30 days) revert WithdrawDelayOutOfRange();
        if (amount == 0) revert ZeroDeposit();
        if (collector == address(0)) revert InvalidCollector();
        bytes32 id = getChannelId(config);
        Channel storage channel = channels[id];
        channel.balance += amount;
        uint256 before = Token(config.token).balanceOf(address(this));
        Collector(collector).collect(config.payer, config.token, amount, id, data);
        uint256 collected = Token(config.token).balanceOf(address(this)) - before;
        if (collected != amount) revert DepositCollectionFailed();
        if (channel.balance == amount && channel.totalClaimed == 0) emit ChannelCreated(id, config);
        emit Deposited(id, msg.sender, amount, channel.balance);
    }

    function claim(VoucherClaim[] calldata claims) external {
        if (claims.length == 0) revert EmptyBatch();
        for (uint256 i = 0; i < claims.length; ++i) {
            if (!ofReceiver(claims[i].voucher.channel)) revert NotAuthorizedToClaim();
            take(claims[i]);
        }
    }

    // One claim that cannot be taken fails them all.
    function claimWithSignature(VoucherClaim[] calldata claims, bytes calldata signature) external {
        if (claims.length == 0) revert EmptyBatch();
        address authorizer = claims[0].voucher.channel.receiverAuthorizer;
        if (!isSignedBy(authorizer, getClaimBatchDigest(claims), signature)) revert InvalidSignature();
        for (uint256 i = 0; i < claims.length; ++i) {
            if (claims[i].voucher.channel.receiverAuthorizer != authorizer) revert NotReceiverAuthorizer();
            take(claims[i]);
        }
    }

    function settle(address receiver, address token) external {
        Receiver storage sums = receivers[receiver][token];
        uint128 amount = sums.totalClaimed - sums.totalSettled;
        if (amount == 0) return;
        sums.totalSettled = sums.totalClaimed;
        Token(token).transfer(receiver, amount);
        emit Settled(receiver, token, msg.sender, amount);
    }

    function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external {
        if (!ofPayer(config)) revert InvalidChannel();
        if (amount == 0) revert NothingToWithdraw();
        bytes32 id = getChannelId(config);
        Withdrawal storage withdrawal = pendingWithdrawals[id];
        if (withdrawal.initiatedAt != 0) revert WithdrawalAlreadyPending();
        if (amount > available(id)) revert WithdrawAmountExceedsAvailable();
        withdrawal.amount = amount;
        withdrawal.initiatedAt = uint40(block.timestamp);
        emit WithdrawInitiated(id, amount, uint40(block.timestamp) + config.withdrawDelay);
    }

    function finalizeWithdraw(ChannelConfig calldata config) external {
        if (!ofPayer(config)) revert NotAuthorizedToFinalizeWithdraw();
        bytes32 id = getChannelId(config);
        Withdrawal storage withdrawal = pendingWithdrawals[id];
        if (withdrawal.initiatedAt == 0) revert WithdrawalNotPending();
        uint256 due = uint256(withdrawal.initiatedAt) + config.withdrawDelay;
        if (block.timestamp < due) revert WithdrawDelayNotElapsed();
        uint128 amount = least(withdrawal.amount, available(id));
        delete pendingWithdrawals[id];
        emit WithdrawFinalized(id, msg.sender, amount);
        payOut(id, config, amount);
    }

    function refund(ChannelConfig calldata config, uint128 amount) external {
        if (!ofReceiver(config)) revert NotAuthorizedToRefund();
        giveBack(config, amount);
    }

    function refundWithSignature(
        ChannelConfig calldata config, uint128 amount, uint256 nonce, bytes calldata signature
    ) external {
        bytes32 id = getChannelId(config);
        if (nonce != refundNonce[id]) revert InvalidRefundNonce();
        bytes32 digest = getRefundDigest(id, nonce, amount);
        if (!isSignedBy(config.receiverAuthorizer, digest, signature)) revert InvalidSignature();
        giveBack(config, amount);
    }

    function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
        return digestOf(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, config)));
    }

    function getVoucherDigest(bytes32 id, uint128 ceiling) public view returns (bytes32) {
        return digestOf(keccak256(abi.encode(VOUCHER, id, ceiling)));
    }

    function getRefundDigest(bytes32 id, uint256 nonce, uint128 amount) public view returns (bytes32) {
        return digestOf(keccak256(abi.encode(REFUND, id, nonce, amount)));
    }

    function getClaimBatchDigest(VoucherClaim[] calldata claims) public view returns (bytes32) {
        bytes32[] memory entries = new bytes32[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            Voucher calldata voucher = claims[i].voucher;
            bytes32 id = getChannelId(voucher.channel);
            entries[i] =
                keccak256(abi.encode(CLAIM_ENTRY, id, voucher.maxClaimableAmount, claims[i].totalClaimed));
        }
        return digestOf(keccak256(abi.encode(CLAIM_BATCH, keccak256(abi.encodePacked(entries)))));
    }

    // What was claimed before is passed over, whoever signed it.
    function take(VoucherClaim calldata claimed) internal {
        ChannelConfig calldata config = claimed.voucher.channel;
        bytes32 id = getChannelId(config);
        Channel storage channel = channels[id];
        if (claimed.totalClaimed <= channel.totalClaimed) return;
        if (claimed.totalClaimed > claimed.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
        if (claimed.totalClaimed > channel.balance) revert ClaimExceedsBalance();
        bytes32 digest = getVoucherDigest(id, claimed.voucher.maxClaimableAmount);
        address signer = config.payerAuthorizer;
        bool signed = signer == address(0)
            ? isSignedBy(config.payer, digest, claimed.signature)
            : recover(digest, claimed.signature) == signer;
        if (!signed) revert InvalidSignature();
        uint128 growth = claimed.totalClaimed - channel.totalClaimed;
        channel.totalClaimed = claimed.totalClaimed;
        receivers[config.receiver][config.token].totalClaimed += growth;
        emit Claimed(id, msg.sender, growth, claimed.totalClaimed);
    }

    // The nonce moves even when there is nothing to give back.
    function giveBack(ChannelConfig calldata config, uint128 wanted) internal {
        if (wanted == 0) revert ZeroRefund();
        bytes32 id = getChannelId(config);
        refundNonce[id] += 1;
        uint128 amount = least(wanted, available(id));
        if (amount == 0) return;
        Withdrawal storage withdrawal = pendingWithdrawals[id];
        if (amount >= withdrawal.amount) delete pendingWithdrawals[id];
        else withdrawal.amount -= amount;
        emit Refunded(id, msg.sender, amount);
        payOut(id, config, amount);
    }

    function payOut(bytes32 id, ChannelConfig calldata config, uint128 amount) internal {
        Channel storage channel = channels[id];
        channel.balance -= amount;
        if (channel.balance == 0 && channel.totalClaimed == 0) emit ChannelClosed(id, config);
        if (amount > 0) Token(config.token).transfer(config.payer, amount);
    }

    function available(bytes32 id) internal view returns (uint128) {
        return channels[id].balance - channels[id].totalClaimed;
    }

    function least(uint128 one, uint128 other) internal pure returns (uint128) {
        return one < other ? one : other;
    }

    function ofPayer(ChannelConfig calldata config) internal view returns (bool) {
        return msg.sender == config.payer || msg.sender == config.payerAuthorizer;
    }

    function ofReceiver(ChannelConfig calldata config) internal view returns (bool) {
        return msg.sender == config.receiver || msg.sender == config.receiverAuthorizer;
    }

    function digestOf(bytes32 message) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN, keccak256("x402 Batch Settlement"), keccak256("1"), block.chainid, address(this))
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }

    function isSignedBy(address signer, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        if (signer.code.length == 0) return recover(digest, signature) == signer;
        return Wallet(signer).isValidSignature(digest, signature) == Wallet.isValidSignature.selector;
    }

    // As strict as the library of the deployed contract: 65 bytes, the lower s, v of 27 or 28.
    function recover(bytes32 digest, bytes calldata signature) internal pure returns (address signer) {
        if (signature.length != 65) revert InvalidSignature();
        bytes32 s = bytes32(signature[32:64]);
        if (uint256(s) > HALF_ORDER) revert InvalidSignature();
        signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), s);
        if (signer == address(0)) revert InvalidSignature();
    }
}

// Takes deposits: the payer's authorization names this contract, its nonce the channel.
contract DepositCollector {
    address constant CHANNELS = 0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003;

    error OnlyChannels();

    function collect(address payer, address token, uint256 amount, bytes32 id, bytes calldata data) external {
        if (msg.sender != CHANNELS) revert OnlyChannels();
        (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
            abi.decode(data, (uint256, uint256, uint256, bytes));
        bytes32 nonce = keccak256(abi.encode(id, salt));
        Token(token).receiveWithAuthorization(
            payer, address(this), amount, validAfter, validBefore, nonce, signature
        );
        Token(token).transfer(CHANNELS, amount);
    }
}

contract Multicall {
    struct Call { address target; bytes callData; }
    struct Result { bool success; bytes returnData; }

    function tryAggregate(bool all, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            if (all) require(results[i].success, "Multicall3: call failed");
        }
    }
}
